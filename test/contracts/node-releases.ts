import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { bringFromNpm } from '../support/npm-package.ts';

const run = promisify(execFile);

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

/** A Node.js. */
export interface NodeRelease {
  /** `v24.21.0` */
  readonly version: string;
  readonly path: string;
}

/**
 * The Node.js that runs this, each other release from 20 on in PATH, and those of `RELEASES` whose major release is none of
 * these.
 */
export async function nodeReleases(): Promise<readonly NodeRelease[]> {
  const inPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  const found = new Map([[process.version, process.execPath]]);
  for (const path of inPath) {
    const version = await versionOf(path);
    if (version !== undefined && !found.has(version)) found.set(version, path);
  }
  for (const [version, packages] of Object.entries(RELEASES)) {
    if ([...found.keys()].some((one) => majorOf(one) === majorOf(version))) continue;
    const platform = `${process.platform}-${process.arch}`;
    const sha512 = packages[platform];
    if (sha512 === undefined) throw new Error(`there is no Node.js ${version} for ${platform} here`);
    const name = `node-${platform}@${version}`;
    found.set(`v${version}`, await bringFromNpm({ name, sha512, member: 'package/bin/node' }));
  }
  return [...found]
    .map(([version, path]) => ({ version, path }))
    .filter(({ version }) => majorOf(version) >= 20);
}

function majorOf(version: string): number {
  return Number.parseInt(version.replace('v', ''), 10);
}

async function versionOf(path: string): Promise<string | undefined> {
  try {
    return (await run(path, ['--version'])).stdout.trim();
  } catch {
    return undefined;
  }
}
