import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

import { root } from '../root.ts';

/** TypeScript, and what lies beside it in a `src` folder for reading at run time (pages, schemas). */
const BUILT = /\.m?ts$|\/src\/.*(?<!\.md)$/;
/** Specs and the like, and what is packed by itself: no program here uses it. */
const LEFT_OUT =
  /\.(spec|fixture|d)\.m?ts$|\/(node_modules|dist)\/|^libs\/(caller\/src\/nest|caller-python)\//;
/** Contains the hash of the sources of `dist`. */
const STAMP = '.build';

/**
 * Makes `dist` from `apps` and `libs` if anything has changed; an unchanged tree costs only the look at its
 * files.
 *
 * Each file is put in its place by a rename, the stamp last, so that two builds at once do no harm and one
 * that is interrupted is done again by the next.
 *
 * @param repository default: this one
 * @returns how many sources were built; 0 if `dist` was up to date
 * @throws {Error} naming the file and place of a syntax error
 */
export async function build(repository = root): Promise<number> {
  const dist = join(repository, 'dist');
  const sources = sourcesOf(repository);
  const wanted = stampOf(repository, sources);
  const stamp = join(dist, STAMP);
  const isBuilt = statSync(stamp, { throwIfNoEntry: false }) !== undefined;
  if (isBuilt && readFileSync(stamp, 'utf8') === wanted) return 0;

  // Loaded on demand, as the compiler is: that takes longer than the look at an unchanged tree.
  const { bundle, compile, writeCodeCache } = await import('./bundle.ts');
  const outputs = new Set([STAMP, 'sbom.cdx.json']);
  const put = (path: string, content: string | Uint8Array): void => {
    outputs.add(path);
    const target = join(dist, path);
    const temporary = `${target}.${process.pid}.tmp`;
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(temporary, content);
    renameSync(temporary, target);
  };
  const built = sources.map(async (path) => {
    if (!/\.m?ts$/.test(path)) return put(path, readFileSync(join(repository, path)));
    const { code, map } = await compile(repository, path);
    const output = path.replace(/ts$/, 'js');
    put(`${output}.map`, map);
    put(output, `${code}//# sourceMappingURL=${output.slice(output.lastIndexOf('/') + 1)}.map\n`);
  });
  await Promise.all(built);
  for (const [path, text] of await bundle(dist)) put(path, text);
  outputs.add(await writeCodeCache(dist));
  // Files under way may belong to a build beside this one.
  for (const path of filesIn(dist, '.'))
    if (!outputs.has(path) && !path.endsWith('.tmp')) rmSync(join(dist, path), { force: true });
  put(STAMP, wanted);
  return sources.length;
}

/** What is built, relative to the repository and with `/`. */
export function sourcesOf(repository: string): readonly string[] {
  return ['apps', 'libs']
    .flatMap((folder) => filesIn(repository, folder))
    .filter((path) => BUILT.test(path) && !LEFT_OUT.test(path));
}

/** The paths of all files in a folder of `base`, relative to that and with `/`. */
function filesIn(base: string, folder: string): string[] {
  return readdirSync(join(base, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(base, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
}

/** A hash of everything that `dist` is made from: of sources the modification times and sizes. */
function stampOf(repository: string, sources: readonly string[]): string {
  const stamp = createHash('sha256');
  for (const path of sources.toSorted()) {
    const { mtimeMs, size } = statSync(join(repository, path));
    stamp.update(`${path}:${mtimeMs}:${size}\n`);
  }
  // The record of npm names every package that is installed: those that a worker uses are in its bundle.
  for (const file of ['.swcrc', 'node_modules/.package-lock.json'])
    stamp.update(readFileSync(join(repository, file)));
  for (const file of readdirSync(import.meta.dirname))
    stamp.update(readFileSync(join(import.meta.dirname, file)));
  return stamp.digest('hex');
}
