import { join, relative, sep } from 'node:path';

import { transformFile } from '@swc/core';
import { build, type Plugin } from 'esbuild';

export interface BundledFile {
  /** Relative to `dist`. */
  readonly path: string;
  readonly text: string;
}

/** Packages of CommonJS require what Node.js brings, and a module has no `require`. */
const REQUIRE =
  "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);";

/**
 * Joins built files, each with all that it imports and the packages of that, into one file each, in a folder `bundle`
 * beside their `src`: finding and reading 2,000 files is more than half of a worker's start. What one of them imports on
 * demand is in its file, too, but does nothing before; unless it is another one of them.
 *
 * They have no source maps, whose lines Node.js would count at each start (docs/decisions/0008); a comment says where each
 * part is from.
 *
 * @param dist the folder of what is built
 * @param entries absolute paths
 */
export async function bundle(dist: string, entries: readonly string[]): Promise<BundledFile[]> {
  const { outputFiles } = await build({
    absWorkingDir: dist,
    entryPoints: [...entries],
    outdir: dist,
    outbase: dist,
    entryNames: '[dir]/../bundle/[name]',
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: `node${process.versions.node}`,
    legalComments: 'none',
    banner: { js: REQUIRE },
    plugins: [apart(new Set(entries)), missingPackages()],
    logLevel: 'silent',
  });
  return outputFiles.map(({ path, text }) => ({
    path: relative(dist, path).replaceAll(sep, '/'),
    text: asciiOf(text),
  }));
}

function apart(entries: ReadonlySet<string>): Plugin {
  return {
    name: 'entries apart',
    setup(of) {
      of.onResolve({ filter: /^\./ }, ({ path, kind, resolveDir }) =>
        kind === 'dynamic-import' && entries.has(join(resolveDir, path))
          ? { path, external: true }
          : undefined,
      );
    },
  };
}

/** Nest asks for packages that an application may have, such as those of other transports. What it does not find stays away. */
function missingPackages(): Plugin {
  const isAsked = Symbol('asked by this plugin');
  return {
    name: 'missing packages',
    setup(of) {
      of.onResolve({ filter: /^[^./#]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (pluginData === isAsked) return undefined;
        const { errors } = await of.resolve(path, { kind, importer, resolveDir, pluginData: isAsked });
        return errors.length === 0 ? undefined : { path, external: true };
      });
    },
  };
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
