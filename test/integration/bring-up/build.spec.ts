import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

import { expect, it } from '@jest/globals';
import spawn from 'nano-spawn';

import { build } from '../../../scripts/build/build.ts';
import { WORKER } from '../../../scripts/build/programs.ts';
import { root } from '../../../scripts/root.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

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

it('builds what runs, and only if something has changed', async () => {
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
});

it('bundles the worker: two files, what is on demand waits, and what is missing is missing still', async () => {
  using folder = temporaryFolder();
  const repo = repository(folder.path);
  await build(repo);
  const program = join(repo, 'dist', WORKER.file);
  expect(readdirSync(dirname(program)).sort()).toEqual(['main.js', 'start-worker.js']);
  expect(readFileSync(join(dirname(program), 'start-worker.js'), 'utf8')).toMatch(/^[\0-\x7f]*$/);
  rmSync(join(repo, 'dist/apps/worker/src'), { recursive: true });
  write(repo, 'package.json', '{"type": "module"}');

  const { stdout } = await spawn(process.execPath, [program]);

  expect(stdout.split('\n')).toEqual(['on demand', '1,\\u00e9|\\u044f,é,ERR_MODULE_NOT_FOUND']);
});

it('builds again if outputs or all of dist were removed', async () => {
  using folder = temporaryFolder();
  const repo = repository(folder.path);
  await build(repo);
  rmSync(join(repo, 'dist'), { recursive: true });

  expect(await build(repo)).toBe(6);
});

it('is safe if two processes build at once', async () => {
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
