import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

export interface SourceFile {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  /** Changes whenever the file does: modification time and size. */
  readonly version: string;
}

const FOLDERS = ['apps', 'libs'];
const SKIPPED_FOLDERS = new Set(['node_modules', 'dist']);
/** Packed by themselves; no program here uses them. */
const PACKED_ALONE = ['libs/caller/src/nest', 'libs/caller-python'];

/**
 * The files of `apps` and `libs` that belong into the built code: TypeScript without specs, fixtures and
 * declarations, and what lies beside it in a `src` folder for reading at run time (pages, schemas).
 */
export function sourceFiles(root: string): SourceFile[] {
  return FOLDERS.flatMap((folder) => walk(root, folder)).sort((a, b) => (a.path < b.path ? -1 : 1));
}

function isTypeScript(path: string): boolean {
  return /\.m?ts$/.test(path);
}

function walk(root: string, folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      return SKIPPED_FOLDERS.has(entry.name) || PACKED_ALONE.includes(path) ? [] : walk(root, path);
    }
    if (!entry.isFile() || !belongs(path)) return [];
    const { mtimeMs, size } = statSync(join(root, path));
    return [{ path, version: `${mtimeMs}:${size}` }];
  });
}

function belongs(path: string): boolean {
  if (isTypeScript(path)) return !/\.(spec|fixture|d)\.m?ts$/.test(path);
  return path.includes('/src/') && !path.endsWith('.md');
}

/** Holds the hash of what `dist` was made from. */
const STAMP = '.build';
/** The worker starts from these alone, since an orchestrator waits for it; the first one hears signals meanwhile. */
const BUNDLED = ['apps/worker/src/main.js', 'apps/worker/src/start-worker.js'];
/** The software bill of materials, by CycloneDX's own name for such a file. */
export const SBOM = 'sbom.cdx.json';

/**
 * Makes `dist` from `apps` and `libs`, if anything has changed since it was made; an unchanged tree costs only the look at
 * its files.
 *
 * Each file is put in its place by a rename, the stamp last, so that two builds at once do no harm and one that is
 * interrupted is done again by the next.
 *
 * @returns how many sources were built; 0 if `dist` was up to date
 * @throws {Error} naming the file and place of a syntax error
 */
export async function build(root: string): Promise<number> {
  const dist = join(root, 'dist');
  const sources = sourceFiles(root);
  const stamp = createHash('sha256').update(JSON.stringify(sources));
  // The record of npm names every package that is installed: those that a worker uses are in its bundle.
  for (const file of ['.swcrc', 'node_modules/.package-lock.json'])
    stamp.update(readFileSync(join(root, file)));
  const wanted = stamp.update(readFileSync(new URL('bundle.ts', import.meta.url))).digest('hex');
  if (existsSync(join(dist, STAMP)) && readFileSync(join(dist, STAMP), 'utf8') === wanted) return 0;

  const outputs = await Promise.all(sources.map(({ path }) => produce(root, dist, path)));
  // Loaded on demand, as the compiler is: that takes longer than the look at an unchanged tree.
  const { bundle } = await import('./bundle.ts');
  const bundled = await bundle(
    dist,
    BUNDLED.map((path) => join(dist, path)),
  );
  for (const { path, text } of bundled) put(join(dist, path), (file) => writeFileSync(file, text));
  removeStale(dist, new Set([...outputs.flat(), ...bundled.map(({ path }) => path), STAMP, SBOM]));
  put(join(dist, STAMP), (file) => writeFileSync(file, wanted));
  return sources.length;
}

/** @returns the files of `dist` that it made */
async function produce(root: string, dist: string, path: string): Promise<readonly string[]> {
  if (!isTypeScript(path)) {
    put(join(dist, path), (file) => copyFileSync(join(root, path), file));
    return [path];
  }
  const { compile } = await import('./bundle.ts');
  const { code, map } = await compile(root, path);
  const output = path.replace(/ts$/, 'js');
  const mapName = `${output.slice(output.lastIndexOf('/') + 1)}.map`;
  put(join(dist, `${output}.map`), (file) => writeFileSync(file, map));
  put(join(dist, output), (file) => writeFileSync(file, `${code}//# sourceMappingURL=${mapName}\n`));
  return [output, `${output}.map`];
}

function put(target: string, write: (file: string) => void): void {
  const temporary = `${target}.${process.pid}.tmp`;
  mkdirSync(dirname(target), { recursive: true });
  write(temporary);
  renameSync(temporary, target);
}

/** Removes what no source stands behind; files under way (`.tmp`) may belong to a build beside this one. */
function removeStale(dist: string, outputs: ReadonlySet<string>): void {
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const path = relative(dist, file).replaceAll(sep, '/');
    if (entry.isFile() && !path.endsWith('.tmp') && !outputs.has(path)) rmSync(file, { force: true });
  }
}
