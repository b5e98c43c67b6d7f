import { readFileSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, resolve } from 'node:path';

import { type Options, transformFile } from '@swc/core';
import { build, type BuildContext, type BuildOptions, context, type Plugin } from 'esbuild';

import { MISSING } from './build/bundle.ts';
import { FLAGS } from './launcher/flags.mjs';
import { Program } from './processes/program.ts';
import { root } from './root.ts';

/** In the repository, so that `#console` and the like are found. */
const FOLDER = join(root, '.run/dev');
const OPTIONS = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: `node${process.versions.node}`,
  external: MISSING,
  logLevel: 'error',
} as const satisfies BuildOptions;

/** Compiles TypeScript like the build. A module keeps the folder of its source, which has further files. */
function compiler(): Plugin {
  const options = JSON.parse(readFileSync(join(root, '.swcrc'), 'utf8')) as Options;
  const jsc = { ...options.jsc, rewriteRelativeImportExtensions: false };
  const known = new Map<string, { readonly mtimeMs: number; readonly contents: string }>();
  return {
    name: 'compiler',
    setup(bundler) {
      bundler.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const { mtimeMs } = statSync(path);
        const before = known.get(path);
        if (before?.mtimeMs === mtimeMs) return { contents: before.contents };
        const { code } = await transformFile(path, { ...options, jsc, swcrc: false, sourceMaps: 'inline' });
        const contents = code.replaceAll('import.meta.dirname', JSON.stringify(dirname(path)));
        known.set(path, { mtimeMs, contents });
        return { contents };
      });
    },
  };
}

/** Takes packages from a file of their own, and adds their names to a set. */
function packagesIn(file: string, names: Set<string>): Plugin {
  return {
    name: 'packages',
    setup(bundler) {
      bundler.onResolve({ filter: /^[@a-z]/ }, ({ path }) => {
        if (isBuiltin(path) || path.startsWith('@poker-bridge/')) return undefined;
        names.add(path);
        return { path, namespace: 'package' };
      });
      bundler.onLoad({ filter: /./, namespace: 'package' }, ({ path }) => ({
        contents: `module.exports = require('./packages')[${JSON.stringify(path)}];`,
      }));
      bundler.onResolve({ filter: /./, namespace: 'package' }, () => ({ path: file, external: true }));
    },
  };
}

/**
 * An app that runs from its sources, in two bundles: one of its packages, which is built once, and one of the
 * sources. Reading 2,000 files would triple the time of a start.
 */
export class DevApp implements AsyncDisposable {
  readonly #name: string;
  readonly #run: () => Program;
  readonly #packages = new Set<string>();
  #context: BuildContext<{ metafile: true }> | undefined;
  #program: Program | undefined;
  /** The imported files, absolute. Empty if the last build failed: then any saved file may repair it. */
  #inputs: ReadonlySet<string> = new Set();

  /**
   * @param name a folder of `apps`
   * @param variables its whole environment except PATH
   * @param flags further options of Node.js, such as `--inspect`
   */
  constructor(name: string, variables: NodeJS.ProcessEnv, flags: readonly string[] = []) {
    const args = [...FLAGS, '--enable-source-maps', '--conditions=@poker-bridge/source', ...flags];
    this.#name = name;
    // Compiling the packages would take half of a start.
    const environment = { ...variables, NODE_COMPILE_CACHE: join(FOLDER, 'cache') };
    this.#run = () =>
      new Program(process.execPath, [...args, this.#file('js')], environment, { isShown: true });
  }

  uses(path: string): boolean {
    return this.#inputs.size === 0 || this.#inputs.has(path);
  }

  /** Builds and (re)starts it. If the build fails, esbuild prints the reason, and the app keeps running. */
  async restart(): Promise<void> {
    this.#context ??= await context({
      ...OPTIONS,
      entryPoints: [join(root, 'apps', this.#name, 'src/main.ts')],
      outfile: this.#file('js'),
      format: 'esm',
      metafile: true,
      conditions: ['@poker-bridge/source'],
      banner: { js: `const require = process.getBuiltinModule('module').createRequire(import.meta.url);` },
      plugins: [packagesIn(this.#file('packages.cjs'), this.#packages), compiler()],
      sourcemap: true,
      sourcesContent: false,
    });
    const count = this.#packages.size;
    const built = await this.#context.rebuild().catch(() => undefined);
    this.#inputs = new Set(Object.keys(built?.metafile.inputs ?? {}).map((path) => resolve(root, path)));
    if (built === undefined) return;
    if (this.#packages.size > count) await this.#bundlePackages();
    if (this.#program) console.log(`restarting the ${this.#name}`);
    this.#program?.kill('SIGTERM');
    await this.#program?.exited;
    await this.#program?.[Symbol.asyncDispose]();
    this.#program = this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context?.dispose();
    await this.#program?.[Symbol.asyncDispose]();
  }

  /** Bundles the packages as members of one object, each of which runs when it is used first. */
  async #bundlePackages(): Promise<void> {
    const names = [...this.#packages].map((name) => JSON.stringify(name));
    const members = names.map((name) => `get ${name}() { return require(${name}); }`);
    const contents = `module.exports = { ${members.join(', ')} };`;
    await build({
      ...OPTIONS,
      stdin: { contents, resolveDir: root },
      outfile: this.#file('packages.cjs'),
      define: { 'import.meta.url': '__url' },
      banner: { js: "const __url = require('node:url').pathToFileURL(__filename).href;" },
    });
  }

  #file(extension: string): string {
    return join(FOLDER, `${this.#name}.${extension}`);
  }
}
