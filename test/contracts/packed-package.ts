import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

/**
 * A workspace of this repository as callers install it: packed by `npm pack`, unpacked into the `node_modules` of `folder`,
 * its dependencies linked from here. It is packed from a copy, so that concurrent tests share no `dist`, and an older
 * build is never mistaken for a new one.
 *
 * @param workspace its folder, `libs/contracts`
 * @returns the files of the package, sorted
 */
export async function installPacked(workspace: string, folder: string): Promise<readonly string[]> {
  const copy = join(folder, 'repository');
  const source = join(copy, workspace);
  await mkdir(source, { recursive: true });
  for (const file of ['package.json', 'tsconfig.json', '.gitignore', '.npmrc'])
    await cp(join(ROOT, file), join(copy, file));
  await cp(join(ROOT, workspace), source, { recursive: true, filter: (path) => basename(path) !== 'dist' });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const options = ['--ignore-scripts=false', '--offline', '--pack-destination', folder];
  await run('npm', ['pack', ...options], { cwd: source });

  const { name, dependencies = {} } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as {
    name: string;
    dependencies?: Record<string, string>;
  };
  const modules = join(folder, 'node_modules');
  for (const dependency of Object.keys(dependencies)) {
    await mkdir(dirname(join(modules, dependency)), { recursive: true });
    await symlink(join(ROOT, 'node_modules', dependency), join(modules, dependency));
  }
  const installed = join(modules, name);
  await mkdir(installed, { recursive: true });
  const tarball = (await readdir(folder)).find((file) => file.endsWith('.tgz'));
  await run('tar', ['-xzf', join(folder, tarball ?? ''), '-C', installed, '--strip-components=1']);
  const entries = await readdir(installed, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1))
    .toSorted();
}
