import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { build } from '../../scripts/build/build.ts';
import { root } from '../../scripts/root.ts';

const require = createRequire(import.meta.url);

interface Project {
  readonly type: 'application' | 'library';
  readonly root: string;
  readonly sourceRoot: string;
  readonly entryFile: string;
}

const { projects } = JSON.parse(readFileSync(join(root, 'nest-cli.json'), 'utf8')) as {
  projects: Readonly<Record<string, Project>>;
};

/** What is compiled. The repository's own build also takes fixtures, and bundles the worker. */
function outputsOf(dist: string): string[] {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' });
  const isOwn = (file: string): boolean => file.includes('.fixture.') || file.includes('/bundle/');
  return files.filter((file) => /\.(js|css|html|svg)$/.test(file) && !isOwn(file)).toSorted();
}

describe('nest-cli.json', () => {
  it('lists every app and every lib', () => {
    const listed = Object.entries(projects).map(([name, project]) => [name, project.root, project.type]);
    const there = (['apps', 'libs'] as const).flatMap((folder) =>
      readdirSync(join(root, folder))
        // The library for Python is none of Nest's.
        .filter((name) => !existsSync(join(root, folder, name, 'pyproject.toml')))
        .map((name) => [name, `${folder}/${name}`, folder === 'apps' ? 'application' : 'library']),
    );
    expect(listed.toSorted()).toEqual(there.toSorted());
  });

  it('names entries that exist', () => {
    const missing = Object.values(projects).filter(
      ({ sourceRoot, entryFile }) => !existsSync(join(root, sourceRoot, `${entryFile}.ts`)),
    );
    expect(missing).toEqual([]);
  });
});

describe('nest build', () => {
  let copy: string;

  beforeAll(async () => {
    copy = mkdtempSync(join(tmpdir(), 'poker-bridge-nest-'));
    for (const path of [
      'apps',
      'libs',
      'package.json',
      'nest-cli.json',
      'tsconfig.json',
      'tsconfig.build.json',
    ])
      cpSync(join(root, path), join(copy, path), {
        recursive: true,
        filter: (file) => !/\/(node_modules|dist)$/.test(file),
      });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    await build(root);
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  // These two also have files that are not TypeScript. Each project compiles all files with the same settings.
  it('builds every app and lib like `npm run build`', () => {
    const nest = require.resolve('@nestjs/cli/bin/nest.js');
    const { status, stdout, stderr } = spawnSync(process.execPath, [nest, 'build', 'sandbox', 'worker'], {
      cwd: copy,
      encoding: 'utf8',
    });
    expect([status, stderr, stdout]).toEqual([0, '', expect.anything()]);
    expect(outputsOf(join(copy, 'dist'))).toEqual(outputsOf(join(root, 'dist')));

    const cli = join(copy, 'dist/apps/cli/src/main.js');
    const input = '{"parameters":{"a":"1"}}';
    const run = spawnSync(process.execPath, [cli, 'sign', 'explain', '-', '--json'], {
      input,
      encoding: 'utf8',
    });
    expect([run.status, JSON.parse(run.stdout)]).toMatchObject([0, { canonical: '1' }]);
  });
});
