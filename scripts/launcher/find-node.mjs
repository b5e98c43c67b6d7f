import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const MINIMUM_MAJOR = 24;

/**
 * The Node.js that runs the tasks: the release that the lock file brings for this platform, else the one that runs
 * now, if that is new enough.
 *
 * @param {string} root
 * @returns {string} its path
 * @throws {Error} saying what to install
 */
export function findNode(root) {
  // Not by way of node_modules/.bin, where npm 10 leaves no link to a package that has siblings for other platforms.
  const packages = [
    `node-${process.platform}-${process.arch}`,
    `node-bin-${process.platform}-${process.arch}`,
  ];
  const candidates = [
    ...packages.map((name) => join(root, 'node_modules', name, 'bin', 'node')),
    process.execPath,
  ];
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
