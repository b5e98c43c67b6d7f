import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';

import spawn from 'nano-spawn';

import { Program } from '../../scripts/processes/program.ts';
import { root } from '../../scripts/root.ts';
import { bringFromNpm } from '../support/npm-package.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TSC = join(root, 'node_modules/typescript/bin/tsc');
const COMPILER_OPTIONS = {
  target: 'es2022',
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
};

/**
 * An initially empty project, into which packages of this repository are installed as callers install them.
 */
export class CallerProject implements Disposable {
  readonly #folder = temporaryFolder();

  constructor() {
    this.write('package.json', '{ "type": "module" }');
  }

  get path(): string {
    return this.#folder.path;
  }

  write(file: string, text: string): void {
    this.#folder.write(file, text);
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }

  /**
   * Installs a workspace: packed by `npm pack`, unpacked into `node_modules`, its dependencies linked from
   * here, except for a workspace that was installed there before. It is packed from a copy, so that
   * concurrent tests share no `dist`, and an older build is never mistaken for a new one.
   *
   * @param workspace its folder, `libs/contracts`
   * @returns the files of the package, sorted
   */
  async install(workspace: string): Promise<readonly string[]> {
    const folder = this.path;
    const copy = join(folder, 'repository');
    const source = join(copy, workspace);
    await mkdir(source, { recursive: true });
    for (const file of ['package.json', 'tsconfig.json', '.gitignore', '.npmrc', 'scripts/build/package.mjs'])
      await cp(join(root, file), join(copy, file));
    const filter = (path: string): boolean => basename(path) !== 'dist';
    await cp(join(root, workspace), source, { recursive: true, filter });
    const packages = join(copy, 'node_modules');
    if (!existsSync(packages)) await symlink(join(root, 'node_modules'), packages);
    const { name, dependencies = {} } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as {
      name: string;
      dependencies?: Record<string, string>;
    };
    const modules = join(folder, 'node_modules');
    for (const dependency of Object.keys(dependencies)) {
      const place = join(modules, dependency);
      if (existsSync(place)) await link(place, join(source, 'node_modules', dependency));
      else await link(join(root, 'node_modules', dependency), place);
    }
    const options = ['--silent', '--ignore-scripts=false', '--offline', '--pack-destination', folder];
    const { stdout } = await spawn('npm', ['pack', ...options], { cwd: source });
    const installed = join(modules, name);
    await mkdir(installed, { recursive: true });
    const tarball = join(folder, stdout.trim().split('\n').at(-1) ?? '');
    await spawn('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
    const entries = await readdir(installed, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1))
      .toSorted();
  }

  /** Links packages that the caller already has from this repository. */
  async link(...names: readonly string[]): Promise<void> {
    await this.linkFrom(join(root, 'node_modules'), ...names);
  }

  /** Links packages from another `node_modules` folder. */
  async linkFrom(modules: string, ...names: readonly string[]): Promise<void> {
    for (const name of names) await link(join(modules, name), join(this.path, 'node_modules', name));
  }

  /**
   * Compiles files, and checks their declarations too.
   *
   * @param options compiler options in addition to `strict`
   * @returns the output of the compiler
   */
  async compile(options: object, sources: Readonly<Record<string, string>>): Promise<string> {
    for (const [file, text] of Object.entries(sources)) this.write(file, text);
    const compilerOptions = { ...COMPILER_OPTIONS, ...options };
    this.write('tsconfig.json', JSON.stringify({ compilerOptions, files: Object.keys(sources) }));
    return (await new Program(process.execPath, [TSC, '--project', this.path]).result).stdout;
  }

  /** Runs a file of the project until it exits, with only the given environment. */
  run(program: string, file: string, variables: Readonly<Record<string, string>> = {}): Program['result'] {
    return new Program(program, [join(this.path, file)], variables).result;
  }
}

async function link(target: string, place: string): Promise<void> {
  await mkdir(dirname(place), { recursive: true });
  await symlink(target, place);
}

/** Other Node.js releases that callers use, with the SHA-512 of their packages in the npm registry. */
const RELEASES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '20.20.2': {
    'linux-x64': 'PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==',
    'linux-arm64': 'LCXJnNTFiyGuYBw2gZSI5OBFMbkjAPt8sqD/NKrWoE2QmDgSubTqFng6GaNJ9EJ8HpxBMGcWWpbbcs4Vo+CnGg==',
  },
  '22.23.3': {
    'linux-x64': 'qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
    'linux-arm64': 'l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==',
  },
};

/**
 * The Node.js releases to test, each with its version, such as `v24.21.0`: the current process, releases from
 * 20 on in PATH, and `RELEASES` for the remaining major versions.
 */
export async function nodeReleases() {
  const inPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  const found = new Map([[process.version, process.execPath]]);
  for (const path of inPath) {
    const version = await versionOf(path);
    if (version !== undefined && !found.has(version)) found.set(version, path);
  }
  for (const [version, packages] of Object.entries(RELEASES)) {
    if ([...found.keys()].some((one) => majorOf(one) === majorOf(version))) continue;
    const platform = `${process.platform}-${process.arch}`;
    const sha512 = packages[platform];
    if (sha512 === undefined) throw new Error(`there is no Node.js ${version} for ${platform} here`);
    const name = `node-${platform}@${version}`;
    found.set(`v${version}`, await bringFromNpm({ name, sha512, member: 'package/bin/node' }));
  }
  return [...found]
    .map(([version, path]) => ({ version, path }))
    .filter(({ version }) => majorOf(version) >= 20);
}

function majorOf(version: string): number {
  return Number.parseInt(version.replace('v', ''), 10);
}

async function versionOf(path: string): Promise<string | undefined> {
  try {
    return (await spawn(path, ['--version'])).stdout.trim();
  } catch {
    return undefined;
  }
}
