import { hash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import spawn from 'nano-spawn';

import { root } from '../../scripts/root.ts';

/**
 * Installs packages from the npm registry into a folder of `.run`, unless an earlier run did. Their scripts
 * are not run.
 *
 * @param name the beginning of the folder name, followed by a digest of the packages
 * @param packages with their exact versions, such as `typescript@5.9.3`
 * @returns the path of their `node_modules`
 */
export async function installFromNpm(name: string, packages: readonly string[]): Promise<string> {
  const folder = join(root, '.run', `${name}-${hash('sha256', packages.join(' ')).slice(0, 8)}`);
  const modules = join(folder, 'node_modules');
  if (existsSync(modules)) return modules;
  mkdirSync(join(root, '.run'), { recursive: true });
  const temporary = mkdtempSync(join(root, '.run', `${name}-`));
  try {
    writeFileSync(join(temporary, 'package.json'), '{ "private": true }');
    const options = ['--silent', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact'];
    await spawn('npm', ['install', ...options, ...packages], { cwd: temporary });
    // A concurrent run may have created the folder first.
    if (!existsSync(folder)) renameSync(temporary, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return modules;
}
