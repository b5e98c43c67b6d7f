/** Runs `work` while holding a lock file that names this process; waits while a living process holds it. */
export function withLock<T>(file: string, work: () => Promise<T>): Promise<T>;

/** Whether there is such a process, whoever's it is. */
export function isAlive(pid: number): boolean;
