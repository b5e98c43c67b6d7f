import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { isTypeScript, sourceFiles } from './source-files.ts';

/** What `dist` was made from: the compiler's settings, and each source with its version. */
interface Manifest {
  readonly compiler: string;
  readonly sources: Readonly<Record<string, string>>;
}

export interface BuildResult {
  readonly files: number;
  /** How many of them had changed and were compiled again. */
  readonly written: number;
}

const MANIFEST = '.build.json';
/** The worker starts from these alone, since an orchestrator waits for it; the first one hears signals meanwhile. */
const BUNDLED = ['apps/worker/src/main.js', 'apps/worker/src/start-worker.js'];
/** The software bill of materials, by CycloneDX's own name for such a file. */
export const SBOM = 'sbom.cdx.json';

/**
 * Brings `dist` up to date with `apps` and `libs`: what changed is compiled, what has no source any more is removed,
 * an unchanged tree costs only the look at its files.
 *
 * Each file is put in its place by a rename, the manifest last, so that two builds at once do no harm and one
 * that is interrupted is finished by the next.
 *
 * @throws {Error} naming the file and place of a syntax error
 */
export async function build(root: string): Promise<BuildResult> {
  const dist = join(root, 'dist');
  const sources = Object.fromEntries(sourceFiles(root).map(({ path, version }) => [path, version]));
  const compiler = compilerVersion(root);
  const before = readManifest(dist);
  const paths = Object.keys(sources);
  const changed = paths.filter(
    (path) => before?.compiler !== compiler || before.sources[path] !== sources[path],
  );
  const gone = Object.keys(before?.sources ?? {}).some((path) => sources[path] === undefined);
  if (before !== undefined && changed.length === 0 && !gone) return { files: paths.length, written: 0 };

  await Promise.all(changed.map((path) => produce(root, dist, path)));
  const bundled = await bundleWorker(dist);
  removeStale(dist, new Set([...paths.flatMap(outputsOf), ...bundled]));
  write(join(dist, MANIFEST), JSON.stringify({ compiler, sources } satisfies Manifest));
  return { files: paths.length, written: changed.length };
}

function compilerVersion(root: string): string {
  const hash = createHash('sha256');
  // The last one names every package that is installed: those that a worker uses are in its bundle.
  for (const file of ['.swcrc', 'node_modules/.package-lock.json'])
    hash.update(readFileSync(join(root, file)));
  hash.update(readFileSync(new URL('bundle.ts', import.meta.url)));
  return hash.digest('hex');
}

function readManifest(dist: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(dist, MANIFEST), 'utf8')) as Manifest;
  } catch {
    return undefined;
  }
}

async function produce(root: string, dist: string, path: string): Promise<void> {
  const [output = path, mapOutput = ''] = outputsOf(path);
  const target = join(dist, output);
  mkdirSync(dirname(target), { recursive: true });
  if (!isTypeScript(path)) {
    const temporary = temporaryFor(target);
    copyFileSync(join(root, path), temporary);
    renameSync(temporary, target);
    return;
  }
  // It takes longer to load than the look at an unchanged tree.
  const { compile } = await import('./compile.ts');
  const { code, map } = await compile(root, path);
  write(join(dist, mapOutput), map);
  write(target, `${code}//# sourceMappingURL=${mapOutput.slice(mapOutput.lastIndexOf('/') + 1)}\n`);
}

/** @returns the files of the bundle, relative to `dist` */
async function bundleWorker(dist: string): Promise<string[]> {
  const { bundle } = await import('./bundle.ts');
  const entries = BUNDLED.map((path) => join(dist, path));
  const files = await bundle(dist, entries);
  for (const { path, text } of files) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    write(join(dist, path), text);
  }
  return files.map(({ path }) => path);
}

function outputsOf(path: string): string[] {
  if (!isTypeScript(path)) return [path];
  const output = path.replace(/ts$/, 'js');
  return [output, `${output}.map`];
}

function write(target: string, text: string): void {
  const temporary = temporaryFor(target);
  writeFileSync(temporary, text);
  renameSync(temporary, target);
}

function temporaryFor(target: string): string {
  return `${target}.${process.pid}.tmp`;
}

/** Removes what no source stands behind; files under way (`.tmp`) may belong to a build beside this one. */
function removeStale(dist: string, outputs: ReadonlySet<string>): void {
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const path = relative(dist, file).replaceAll(sep, '/');
    const isOurs = path === MANIFEST || path === SBOM || path.endsWith('.tmp') || outputs.has(path);
    if (entry.isFile() && !isOurs) rmSync(file, { force: true });
  }
}
