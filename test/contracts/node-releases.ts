import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A Node.js on this machine. */
export interface NodeRelease {
  /** `v24.21.0` */
  readonly version: string;
  readonly path: string;
}

/** The Node.js that runs this, and each other release from 20 on in PATH. */
export async function nodeReleases(): Promise<readonly NodeRelease[]> {
  const inPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  const found = new Map([[process.version, process.execPath]]);
  for (const path of inPath) {
    const version = await versionOf(path);
    if (version !== undefined && !found.has(version)) found.set(version, path);
  }
  return [...found]
    .map(([version, path]) => ({ version, path }))
    .filter(({ version }) => Number.parseInt(version.slice(1), 10) >= 20);
}

async function versionOf(path: string): Promise<string | undefined> {
  try {
    return (await run(path, ['--version'])).stdout.trim();
  } catch {
    return undefined;
  }
}
