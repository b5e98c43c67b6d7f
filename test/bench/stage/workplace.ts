import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { compile } from '../../../scripts/build/compile.ts';
import { root } from '../../../scripts/root.ts';

const PEERS = 'test/bench/peers';

/** Which code of ours is run: that of this repository, or of another checkout beside it. */
export type Version = 'this' | 'other';

/** A folder of one run of the bench, within the repository so that packages are found from it. */
export interface Workplace extends Disposable {
  readonly folder: string;
  /** A compiled program of `test/bench/peers`. */
  peer(name: string): string;
  /** What holds the built worker, as it was when the run began. */
  folderOf(version: Version): string;
  /** The file for the output of a process. */
  log(name: string): string;
}

/**
 * Compiles the peers, and copies what is built: a run measures one version, whatever is built
 * meanwhile.
 *
 * @param other the folder of another checkout, built; it runs with the packages of this one
 */
export async function createWorkplace(other?: string): Promise<Workplace> {
  mkdirSync(join(root, '.run'), { recursive: true });
  const folder = mkdtempSync(join(root, '.run', 'bench-'));
  const versions: Record<Version, string> = { this: folder, other: join(folder, 'other') };
  copyBuilt(root, versions.this);
  if (other !== undefined) copyBuilt(other, versions.other);
  await compilePeers(join(folder, 'peers'));
  return {
    folder,
    peer: (name) => join(folder, 'peers', `${name}.js`),
    folderOf: (version) => versions[version],
    log: (name) => join(folder, `${name}.log`),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** With what makes package imports lead to the copy. */
function copyBuilt(from: string, to: string): void {
  // A temporary file belongs to a concurrent build, and may be gone in a moment.
  const filter = (path: string): boolean => !path.endsWith('.tmp');
  cpSync(join(from, 'dist'), join(to, 'dist'), { recursive: true, filter });
  const { type, imports } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  writeFileSync(join(to, 'package.json'), JSON.stringify({ type, imports }));
}

async function compilePeers(folder: string): Promise<void> {
  mkdirSync(folder);
  for (const name of readdirSync(join(root, PEERS))) {
    const { code } = await compile(root, `${PEERS}/${name}`);
    writeFileSync(join(folder, name.replace(/ts$/, 'js')), code);
  }
}
