import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const MINIMUM_MAJOR = 24;

/**
 * The Node.js that runs the tasks: the release that the lock file brings for this platform, else the one that runs
 * now, where it is new enough.
 *
 * @param {string} root
 * @returns {string} its path
 * @throws {Error} saying what to install
 */
export function findNode(root) {
  const candidates = [join(root, 'node_modules', '.bin', 'node'), process.execPath];
  const found = candidates.find((path) => majorOf(path) >= MINIMUM_MAJOR);
  if (found) return found;
  throw new Error(
    `there is no packaged Node.js for ${process.platform}-${process.arch} that starts here, and this one is ` +
      `${process.version}. Install Node.js ${MINIMUM_MAJOR} or newer.`,
  );
}

function majorOf(path) {
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return Number(/^v(\d+)\./.exec(stdout ?? '')?.[1] ?? 0);
}
