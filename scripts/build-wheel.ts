import { cp, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import spawn from 'nano-spawn';

import { missingOf } from './debian.ts';
import { root } from './root.ts';

/** Debian's Python, because another `python3` in the PATH may not find Debian's packages. */
export const PYTHON = '/usr/bin/python3';
/** The sources of the Python client, relative to the repository. */
export const PYTHON_CLIENT = 'libs/caller-python';

/** The Debian packages that build the wheel, each with one of its files. */
export const BUILD_PACKAGES = {
  'python3-build': '/usr/lib/python3/dist-packages/build/__main__.py',
  'python3-setuptools': '/usr/lib/python3/dist-packages/setuptools/__init__.py',
  'python3-wheel': '/usr/lib/python3/dist-packages/wheel/__init__.py',
};
const LEFT_BY_TOOLS = new Set(['dist', 'build', '.mypy_cache', '__pycache__']);

/**
 * Builds the wheel of the Python client from a copy of its sources, with Debian's tools and without a
 * network.
 *
 * @returns the path of the wheel, in `folder`
 * @throws {Error} if a tool is missing, with how to install it; with the output of the build
 */
export async function buildWheel(folder: string): Promise<string> {
  const missing = missingOf(BUILD_PACKAGES).join(' ');
  if (missing)
    throw new Error(`not installed: ${missing}; install with apt-get, or with npm run wheel -- --install`);
  await using copy = await mkdtempDisposable(join(tmpdir(), 'wheel-'));
  const filter = (path: string) => !LEFT_BY_TOOLS.has(basename(path));
  await cp(join(root, PYTHON_CLIENT), copy.path, { recursive: true, filter });
  const build = ['-m', 'build', '--wheel', '--no-isolation', '--outdir', folder, copy.path];
  const { stdout } = await spawn(PYTHON, build, { cwd: copy.path, stdin: 'ignore' });
  const [, name = ''] = /Successfully built (\S+\.whl)/.exec(stdout) ?? [];
  return join(folder, name);
}
