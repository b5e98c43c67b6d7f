import { SourceMap } from 'node:module';
import { join, relative, sep } from 'node:path';

import { transformFile } from '@swc/core';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import spawn from 'nano-spawn';

import type { SourceLines } from '#telemetry';

import { WORKER } from './programs.ts';
import { WRAPPER } from './run-with-code-cache.ts';

const FOLDER = 'apps/worker/bundle';
/** The worker without its entry file, relative to `dist`. */
const START = `${FOLDER}/start-worker.cjs`;

/** Packages of other transports, which Nest imports if they are installed. */
export const MISSING = ['@nats-io/transport-node', '@nestjs/websockets/*', 'kafkajs', 'mqtt'];

/**
 * Modules that would slow down the start, although a worker uses little or nothing of them, and their
 * replacements.
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
  // A worker validates no telephone numbers, and reads no request bodies.
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
 * Bundles the built files of the worker and all of their imports, including packages, into one file in the
 * folder `bundle`, next to `src`. Finding and reading 2,000 files would take more than half of a worker's
 * start. Modules that are imported on demand are included, but run only then. A small entry file handles
 * signals from the beginning, and runs the bundle.
 *
 * The bundle is CommonJS because V8 can cache its compiled code. Moreover, an ES module that imports
 * `node:http` would evaluate all of its exports, including `WebSocket`, for which Node.js loads another HTTP
 * client.
 *
 * The files have no source maps, because Node.js would count their lines at each start. A worker that logs a
 * stack reads the sources of its lines from a file next to the bundle.
 *
 * @param dist the folder of the built files
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
 * Returns the source of each line of the bundle. For packages, this is only the file, because their maps
 * would triple the size.
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
 * V8 stores a whole string with two bytes a character if one character is not Latin-1. Only regular
 * expressions still contain such characters.
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
 * @param dist the folder of the built files, with the bundle
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
  // A workspace package imports the others by their published names; here they are in the same `dist`.
  return { code: code.replaceAll(/(?<=from ['"])@poker-bridge\//g, '#'), map };
}
