import { SourceMap } from 'node:module';
import { join, relative, sep } from 'node:path';

import { transformFile } from '@swc/core';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import spawn from 'nano-spawn';

import type { SourceLines } from '#telemetry';

import { WORKER } from './programs.ts';
import { WRAPPER } from './run-with-code-cache.ts';

const FOLDER = 'apps/worker/bundle';
/** The worker but for its first file, relative to `dist`. */
const START = `${FOLDER}/start-worker.cjs`;

/** Packages of other transports, which Nest asks for where an application has them. */
const MISSING = ['@nats-io/transport-node', '@nestjs/websockets/*', 'kafkajs', 'mqtt'];

/**
 * Modules that would take part of a start though a worker uses little of them or nothing, and what stands in
 * for them.
 */
const REPLACED = new Map([
  [
    './start-worker.js',
    `import { runWithCodeCache } from ${JSON.stringify(join(import.meta.dirname, 'run-with-code-cache.ts'))};
     export const { startWorker } = runWithCodeCache(new URL('start-worker.cjs', import.meta.url)).exports;`,
  ],
  [
    'undici',
    `export { default as Client } from 'undici/lib/dispatcher/client.js';
     export { default as buildConnector } from 'undici/lib/core/connect.js';`,
  ],
  // A worker checks no telephone numbers, and reads no bodies of requests.
  ...['libphonenumber-js/max', 'iconv-lite', 'multer'].map((name) => [name, ''] as const),
]);

const REPLACE: Plugin = {
  name: 'replace',
  setup(bundler) {
    bundler.onResolve({ filter: /./ }, ({ path, resolveDir }) =>
      REPLACED.has(path) ? { path, namespace: 'replaced', pluginData: resolveDir } : undefined,
    );
    bundler.onLoad({ filter: /./, namespace: 'replaced' }, ({ path, pluginData }) => ({
      contents: REPLACED.get(path) ?? '',
      resolveDir: String(pluginData),
    }));
  },
};

/**
 * Joins the built files of the worker, with all that they import and the packages of that, into one file in a
 * folder `bundle` beside their `src`: finding and reading 2,000 files is more than half of a worker's start.
 * What is imported on demand is in it, too, but does nothing before. A small file beside it handles signals
 * from the beginning, and runs it.
 *
 * It is CommonJS: V8 can keep what it compiled of that, and an import of `node:http` by a module would
 * evaluate all of its exports, among them `WebSocket`, for which Node.js loads an HTTP client of its own.
 *
 * They have no source maps, whose lines Node.js would count at each start. A worker that logs a stack reads
 * the sources of its lines from a file beside the bundle.
 *
 * @param dist the folder of what is built
 * @returns the text of each file by its path relative to `dist`
 */
export async function bundle(dist: string): Promise<ReadonlyMap<string, string>> {
  const bundleOf = async (name: string, options: BuildOptions) => {
    const { outputFiles } = await build({
      ...options,
      entryPoints: [`apps/worker/src/${name}.js`],
      absWorkingDir: dist,
      bundle: true,
      write: false,
      platform: 'node',
      target: `node${process.versions.node}`,
      external: MISSING,
      plugins: [REPLACE],
      outdir: FOLDER,
      sourcemap: 'external',
      sourcesContent: false,
      legalComments: 'none',
      logLevel: 'silent',
    });
    const textOf = (end: string) => outputFiles?.find(({ path }) => path.endsWith(end))?.text ?? '';
    return { code: textOf('js'), map: textOf('.map') };
  };
  const [main, rest] = await Promise.all([
    bundleOf('main', { format: 'esm' }),
    bundleOf('start-worker', { format: 'cjs', ...WRAPPER }),
  ]);
  return new Map([
    [`${FOLDER}/main.js`, main.code],
    [START, asciiOf(rest.code)],
    [START.replace('.cjs', '.lines.json'), JSON.stringify(sourceLinesOf(rest))],
  ]);
}

/**
 * Returns the source of each line of the bundle, of packages only the file: their maps would make it three
 * times as large.
 */
function sourceLinesOf({ code, map }: { code: string; map: string }): SourceLines {
  const sourceMap = new SourceMap(JSON.parse(map) as ConstructorParameters<typeof SourceMap>[0]);
  const files = new Map<string, number>();
  const runs: (readonly [number, number, number])[] = [];
  for (const [index, text] of code.split('\n').entries()) {
    const entry = sourceMap.findEntry(index, text.search(/\S/));
    if (!('originalSource' in entry) || entry.generatedLine !== index) continue;
    const file = relative('..', join(FOLDER, entry.originalSource)).replaceAll(sep, '/');
    const at = files.get(file) ?? files.size;
    files.set(file, at);
    const sourceLine = file.includes('node_modules/') ? 0 : entry.originalLine + 1;
    const [first, lastFile, firstLine] = runs.at(-1) ?? [0, -1, 0];
    const isContinued = lastFile === at && (sourceLine === 0 || sourceLine - firstLine === index + 1 - first);
    if (!isContinued) runs.push([index + 1, at, sourceLine]);
  }
  return { files: [...files.keys()], runs };
}

/**
 * V8 keeps all of a text with two bytes a character if one is beyond Latin-1. Only regular expressions still
 * have any.
 */
function asciiOf(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (character) => {
    const unit = character.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${unit}`;
  });
}

/**
 * Writes V8's code cache of the bundle, with the flags of a worker.
 *
 * @param dist the folder of what is built, with the bundle
 * @returns the path of the cache, relative to `dist`
 */
export async function writeCodeCache(dist: string): Promise<string> {
  const program = join(import.meta.dirname, 'write-code-cache.ts');
  const { stdout } = await spawn(process.execPath, [...WORKER.flags, program, join(dist, START)]);
  return relative(dist, stdout).replaceAll(sep, '/');
}

/**
 * Compiles one TypeScript file by the repository's `.swcrc`.
 *
 * @param path relative to the repository
 * @returns JavaScript, and its source map with the source's path relative to the place of the output in
 *   `dist`
 */
export async function compile(root: string, path: string): Promise<{ code: string; map: string }> {
  const { code, map = '' } = await transformFile(join(root, path), {
    configFile: join(root, '.swcrc'),
    cwd: root,
    sourceMaps: true,
    sourceFileName: relative(join(root, 'dist', path, '..'), join(root, path)),
  });
  // A workspace package names the others as those who install it find them; here they are in the same `dist`.
  return { code: code.replaceAll(/(?<=from ['"])@poker-bridge\//g, '#'), map };
}
