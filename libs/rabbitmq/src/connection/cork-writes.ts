import type { Writable } from 'node:stream';

/**
 * Sends all that is written until a moment in one system call, which saves time alone (docs/decisions/0008).
 *
 * @param later calls back in that moment, such as `process.nextTick` or `setImmediate`
 */
export function corkWrites(stream: Writable, later: (uncork: () => void) => unknown): void {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  let isCorked = false;
  const uncork = (): void => {
    isCorked = false;
    stream.uncork();
  };
  stream.write = (...args: unknown[]) => {
    if (!isCorked) {
      isCorked = true;
      stream.cork();
      later(uncork);
    }
    return write(...args);
  };
}
