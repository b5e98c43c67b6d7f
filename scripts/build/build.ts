import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

import { root } from '../root.ts';

/** TypeScript, and files of a `src` folder that are read at run time (pages, schemas). */
const BUILT = /\.m?ts$|\/src\/.*(?<!\.md)$/;
/** Specs, fixtures, and packages with a build of their own, which no program here uses. */
const LEFT_OUT =
  /\.(spec|fixture|d)\.m?ts$|\/(node_modules|dist)\/|^libs\/(caller\/src\/nest|caller-python)\//;
/** Contains the hash of the sources of `dist`. */
const STAMP = '.build';

/**
 * Builds `dist` from `apps` and `libs` if anything has changed. An unchanged tree costs only the check of its
 * files.
 *
 * Each file is renamed into place, and the stamp last. Concurrent builds therefore do no harm, and an
 * interrupted build is repeated by the next one.
 *
 * @param repository default: this one
 * @returns the number of compiled sources; 0 if `dist` was up to date
 * @throws {Error} naming the file and place of a syntax error
 */
export async function build(repository = root): Promise<number> {
  const dist = join(repository, 'dist');
  const sources = sourcesOf(repository);
  const wanted = stampOf(repository, sources);
  const stamp = join(dist, STAMP);
  const isBuilt = statSync(stamp, { throwIfNoEntry: false }) !== undefined;
  if (isBuilt && readFileSync(stamp, 'utf8') === wanted) return 0;

  // Loaded on demand, like the compiler, because loading takes longer than checking an unchanged tree.
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
  // Temporary files may belong to a concurrent build.
  for (const path of filesIn(dist, '.'))
    if (!outputs.has(path) && !path.endsWith('.tmp')) rmSync(join(dist, path), { force: true });
  put(STAMP, wanted);
  return sources.length;
}

/** The built sources, relative to the repository and with `/`. */
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

/** Returns a hash of all inputs of `dist`; of sources, it covers modification times and sizes. */
function stampOf(repository: string, sources: readonly string[]): string {
  const stamp = createHash('sha256');
  for (const path of sources.toSorted()) {
    const { mtimeMs, size } = statSync(join(repository, path));
    stamp.update(`${path}:${mtimeMs}:${size}\n`);
  }
  // npm's record lists every installed package, and the worker's bundle contains those that it uses.
  for (const file of ['.swcrc', 'node_modules/.package-lock.json'])
    stamp.update(readFileSync(join(repository, file)));
  for (const file of readdirSync(import.meta.dirname))
    stamp.update(readFileSync(join(import.meta.dirname, file)));
  return stamp.digest('hex');
}
