import { join } from 'node:path';

import spawn from 'nano-spawn';

import { BUILD_PACKAGES, buildWheel, PYTHON } from '../../scripts/build-wheel.ts';
import { installMissing } from '../../scripts/debian.ts';

/**
 * The Python client as callers install it: built as a wheel, and installed into an empty environment that sees Debian's
 * pika and nothing else of this repository.
 *
 * @returns the `python` of that environment
 */
export async function installPythonClient(folder: string): Promise<string> {
  await installMissing(BUILD_PACKAGES);
  const wheel = await buildWheel(folder);
  const environment = join(folder, 'environment');
  await spawn(PYTHON, ['-m', 'venv', '--system-site-packages', environment]);
  const python = join(environment, 'bin/python');
  // It fails if a dependency of the wheel is neither there nor new enough.
  await spawn(python, ['-m', 'pip', 'install', '--no-index', '--quiet', wheel], {
    env: { PIP_DISABLE_PIP_VERSION_CHECK: '1' },
  });
  return python;
}
