import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { root } from '../../scripts/root.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const require = createRequire(import.meta.url);
const COPIED = ['apps', 'libs', 'package.json', 'nest-cli.json', 'tsconfig.json', 'tsconfig.build.json'];

interface Project {
  readonly type: 'application' | 'library';
  readonly root: string;
  readonly sourceRoot: string;
  readonly entryFile: string;
}

const { projects } = JSON.parse(readFileSync(join(root, 'nest-cli.json'), 'utf8')) as {
  projects: Readonly<Record<string, Project>>;
};

describe('nest-cli.json', () => {
  it('lists every app and library, with entry files that exist', () => {
    const listed = Object.entries(projects).map(([name, project]) => [name, project.root, project.type]);
    const there = (['apps', 'libs'] as const).flatMap((folder) =>
      readdirSync(join(root, folder))
        // The Python library is not a Nest project.
        .filter((name) => !existsSync(join(root, folder, name, 'pyproject.toml')))
        .map((name) => [name, `${folder}/${name}`, folder === 'apps' ? 'application' : 'library']),
    );
    expect(listed.toSorted()).toEqual(there.toSorted());
    const missing = Object.values(projects).filter(
      ({ sourceRoot, entryFile }) => !existsSync(join(root, sourceRoot, `${entryFile}.ts`)),
    );
    expect(missing).toEqual([]);
  });

  it('builds a worker that starts, by `nest build`', () => {
    using folder = temporaryFolder();
    const copy = folder.path;
    const filter = (file: string): boolean => !/\/(node_modules|dist)$/.test(file);
    for (const path of COPIED) cpSync(join(root, path), join(copy, path), { recursive: true, filter });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    const nest = require.resolve('@nestjs/cli/bin/nest.js');
    const built = spawnSync(process.execPath, [nest, 'build', 'worker'], { cwd: copy, encoding: 'utf8' });
    expect([built.status, built.stderr]).toEqual([0, '']);
    const worker = join(copy, 'dist/apps/worker/src/main.js');
    const run = spawnSync(process.execPath, [worker], { env: { HTTP_PORT: 'all' }, encoding: 'utf8' });
    expect([run.status, run.stderr]).toEqual([78, expect.stringContaining('HTTP_PORT: must be an integer')]);
  });
});
