import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { bringNode, NODE_VERSIONS } from '../../scripts/node/bring-node.ts';

const run = promisify(execFile);

/** A Node.js. */
export interface NodeRelease {
  /** `v24.21.0` */
  readonly version: string;
  readonly path: string;
}

/**
 * The Node.js that runs this, each other release from 20 on in PATH, and those of `bringNode` whose major release is none of
 * these.
 */
export async function nodeReleases(): Promise<readonly NodeRelease[]> {
  const inPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  const found = new Map([[process.version, process.execPath]]);
  for (const path of inPath) {
    const version = await versionOf(path);
    if (version !== undefined && !found.has(version)) found.set(version, path);
  }
  for (const version of NODE_VERSIONS) {
    if ([...found.keys()].some((one) => majorOf(one) === majorOf(version))) continue;
    found.set(`v${version}`, await bringNode(version));
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
