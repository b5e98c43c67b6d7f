const POLL_MS = 500;

/**
 * Where npm has started the launcher, ends this process as SIGTERM would once npm is gone: npm that is killed can tell
 * nobody.
 */
export function endWithNpm(): void {
  const npm = Number(process.env['LAUNCHED_BY_PID']);
  if (process.env['npm_lifecycle_event'] === undefined || !(npm > 1)) return;
  const timer = setInterval(() => {
    if (isAlive(npm)) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, POLL_MS);
  timer.unref();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
