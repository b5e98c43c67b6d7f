import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './with-lock.mjs';
import { isInstalled } from './is-installed.mjs';
import { npmCi } from './npm-ci.mjs';
import { findNode } from './find-node.mjs';

/**
 * Makes `node_modules` hold what `package-lock.json` says, and answers which Node.js runs the tasks.
 *
 * A stamp inside `node_modules` names the lock file that it was made from, so that an unchanged tree costs two
 * file reads. Two launchers at once wait for each other.
 *
 * @param {string} root the repository
 * @returns {Promise<{node: string}>} the path of a Node.js executable of release 24 or newer
 * @throws {Error} if npm fails, or if no such Node.js is to be had
 */
export async function ensurePackages(root) {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const wanted = createHash('sha256').update(lock).digest('hex');
  const ready = readStamp(root, wanted);
  if (ready) return ready;

  mkdirSync(join(root, '.run'), { recursive: true });
  return withLock(join(root, '.run', 'packages.lock'), async () => {
    const meanwhile = readStamp(root, wanted);
    if (meanwhile) return meanwhile;
    if (!isInstalled(lock, readIfThere(hiddenLock(root)))) await npmCi(root);
    const stamp = { lock: wanted, node: findNode(root) };
    writeFileSync(stampFile(root), JSON.stringify(stamp));
    return stamp;
  });
}

function readStamp(root, wanted) {
  const text = readIfThere(stampFile(root));
  if (text === undefined) return undefined;
  try {
    const stamp = JSON.parse(text);
    return stamp.lock === wanted && existsSync(stamp.node) ? stamp : undefined;
  } catch {
    return undefined;
  }
}

function stampFile(root) {
  return join(root, 'node_modules', '.poker-bridge.json');
}

/** npm's own record of what it put into `node_modules`. */
function hiddenLock(root) {
  return join(root, 'node_modules', '.package-lock.json');
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
