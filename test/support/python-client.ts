import { join } from 'node:path';

import spawn from 'nano-spawn';

import { BUILD_PACKAGES, buildWheel, PYTHON } from '../../scripts/build-wheel.ts';
import { installMissing } from '../../scripts/debian.ts';

/**
 * Installs the Python client as callers do: builds a wheel, and installs it into an empty virtual environment
 * with Debian's pika, from which the rest of this repository cannot be imported.
 *
 * @returns the `python` of that environment
 */
export async function installPythonClient(folder: string): Promise<string> {
  await installMissing(BUILD_PACKAGES);
  const wheel = await buildWheel(folder);
  const environment = join(folder, 'environment');
  await spawn(PYTHON, ['-m', 'venv', '--system-site-packages', environment]);
  const python = join(environment, 'bin/python');
  // It fails if a dependency of the wheel is missing or too old.
  await spawn(python, ['-m', 'pip', 'install', '--no-index', '--quiet', wheel], {
    env: { PIP_DISABLE_PIP_VERSION_CHECK: '1' },
  });
  return python;
}
