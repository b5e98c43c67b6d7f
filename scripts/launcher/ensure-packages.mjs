import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { npmCi } from './npm-ci.mjs';
import { withLock } from './with-lock.mjs';

const MINIMUM_MAJOR = 24;

/**
 * Installs the packages of `package-lock.json` if necessary, and returns the Node.js that runs the tasks.
 *
 * A stamp inside `node_modules` identifies its lock file, so that an unchanged tree costs two file reads.
 * Concurrent launchers wait for each other.
 *
 * @returns the path of a Node.js executable of release 24 or newer
 * @throws {Error} if npm fails, or if no such Node.js is available
 */
export async function ensurePackages(root) {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const wanted = createHash('sha256').update(lock).digest('hex');
  const stampFile = join(root, 'node_modules', '.poker-bridge.json');
  const stamped = () => {
    const stamp = readJson(stampFile);
    return stamp?.lock === wanted && existsSync(stamp.node) ? stamp.node : undefined;
  };
  if (stamped()) return stamped();

  mkdirSync(join(root, '.run'), { recursive: true });
  return withLock(join(root, '.run', 'packages.lock'), async () => {
    if (stamped()) return stamped();
    // npm's record of the packages in `node_modules`.
    if (!isInstalled(JSON.parse(lock), readJson(join(root, 'node_modules', '.package-lock.json'))))
      npmCi(root);
    const node = findNode(root);
    writeFileSync(stampFile, JSON.stringify({ lock: wanted, node }));
    return node;
  });
}

/**
 * True if npm's record of `node_modules` contains every package of the lock file at its version, so that a
 * manual `npm ci` or `npm install` is not repeated. An optional package may be missing if it names no
 * platform (it belongs to a package of another platform) or a different platform. Of two packages that differ
 * only in libc, npm installs one.
 */
export function isInstalled(lock, record, { platform, arch } = process) {
  const isForHere = ({ os = [], cpu = [], libc }) =>
    libc === undefined && [os].flat().includes(platform) && [cpu].flat().includes(arch);
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (!path.includes('node_modules/')) return true;
    const found = record?.packages?.[path];
    if (found === undefined) return wanted.optional === true && !isForHere(wanted);
    return found.version === wanted.version && found.integrity === wanted.integrity;
  });
}

/**
 * Returns the Node.js that runs the tasks: the release in the lock file for this platform, or else the
 * current one, if it is new enough. It is not found through node_modules/.bin, where npm 10 has no link to a
 * package with variants for other platforms.
 */
function findNode(root) {
  const machine = `${process.platform}-${process.arch}`;
  const packaged = ['node', 'node-bin'].map((name) =>
    join(root, 'node_modules', `${name}-${machine}`, 'bin', 'node'),
  );
  const found = [...packaged, process.execPath].find((path) => {
    const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
    return Number(/^v(\d+)\./.exec(stdout ?? '')?.[1]) >= MINIMUM_MAJOR;
  });
  if (found) return found;
  throw new Error(
    `there is no packaged Node.js for ${machine} that starts here, and this one is ${process.version}. ` +
      `Install Node.js ${MINIMUM_MAJOR} or newer.`,
  );
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
