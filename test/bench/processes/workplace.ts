import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { compile } from '../../../scripts/build/compile.ts';
import { root } from '../../../scripts/root.ts';

const BENCH = 'test/bench';
const PROGRAMS = ['peers', 'platform'];

/** A folder of one run of the bench, within the repository so that packages are found from it. */
export interface Workplace extends Disposable {
  readonly folder: string;
  /** The compiled program of the bench's own, for example `peers/bare-loop`. */
  program(name: string): string;
  /** A file of built code as it was when the run began, for example `apps/worker/src/main.js`. */
  built(path: string): string;
  log(name: string): string;
}

/**
 * Compiles the peers and the platform, and copies what is built: a run measures one version, whatever is built
 * meanwhile.
 */
export async function createWorkplace(): Promise<Workplace> {
  mkdirSync(join(root, '.run'), { recursive: true });
  const folder = mkdtempSync(join(root, '.run', 'bench-'));
  const { type, imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type, imports }));
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
  for (const part of PROGRAMS) {
    for (const name of await readdir(join(root, BENCH, part))) {
      const target = join(folder, part, name.replace(/ts$/, 'js'));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, (await compile(root, `${BENCH}/${part}/${name}`)).code);
    }
  }
  return {
    folder,
    program: (name) => join(folder, `${name}.js`),
    built: (path) => join(folder, 'dist', path),
    log: (name) => join(folder, `${name}.log`),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
