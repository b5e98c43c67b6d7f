import { join, relative, sep } from 'node:path';

import { transformFile } from '@swc/core';
import { build } from 'esbuild';

/** The worker starts from these alone, since an orchestrator waits for it; the first one hears signals meanwhile. */
const ENTRIES = ['main', 'start-worker'];
/** Packages of other transports, which Nest asks for where an application has them. */
const MISSING = ['@nats-io/transport-node', '@nestjs/websockets/*', 'kafkajs', 'mqtt'];
/** Packages of CommonJS require what Node.js brings, and a module has no `require`. */
const REQUIRE =
  "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);";

/**
 * Joins the built files of the worker, with all that they import and the packages of that, into one file each, in a folder
 * `bundle` beside their `src`: finding and reading 2,000 files is more than half of a worker's start. What is imported on
 * demand is in its file, too, but does nothing before; unless it is the other one.
 *
 * They have no source maps, whose lines Node.js would count at each start; a comment says where each part is from.
 *
 * @param dist the folder of what is built
 * @returns the text of each file by its path relative to `dist`
 */
export async function bundle(dist: string): Promise<ReadonlyMap<string, string>> {
  const { outputFiles } = await build({
    absWorkingDir: dist,
    entryPoints: ENTRIES.map((name) => `apps/worker/src/${name}.js`),
    outdir: 'apps/worker/bundle',
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: `node${process.versions.node}`,
    legalComments: 'none',
    banner: { js: REQUIRE },
    external: [...ENTRIES.map((name) => `./${name}.js`), ...MISSING],
    logLevel: 'silent',
  });
  return new Map(
    outputFiles.map(({ path, text }) => [relative(dist, path).replaceAll(sep, '/'), asciiOf(text)]),
  );
}

/** V8 keeps all of a text with two bytes a character if one is beyond Latin-1. Only regular expressions still have any. */
function asciiOf(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (character) => {
    const unit = character.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${unit}`;
  });
}

/**
 * Compiles one TypeScript file by the repository's `.swcrc`.
 *
 * @param path relative to the repository
 * @returns JavaScript, and its source map with the source's path relative to the place of the output in `dist`
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
