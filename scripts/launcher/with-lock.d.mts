/**
 * Runs `work` while holding a lock file that names this process; waits while a living process holds it, and takes it over
 * from one that has died.
 */
export function withLock<T>(file: string, work: () => Promise<T>): Promise<T>;

/** Whether a process with this id runs, of any user. */
export function isAlive(pid: number): boolean;
