import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

import { installPackage } from '../apt/install-package.ts';

/** A RabbitMQ server that is installed on this machine. */
export interface Installation {
  readonly version: string;
  /** Holds `sbin`, `plugins` and `escript`. */
  readonly home: string;
  /** Erlang's root, with `lib` and `bin`. */
  readonly erlang: string;
}

const PACKAGE_FOLDER = '/usr/lib/rabbitmq/lib';

/**
 * Finds the newest RabbitMQ that a package has installed, or the one that RABBITMQ_HOME names. Its own scripts are
 * used, because those that a package puts into the PATH change the user and want the system's node.
 */
export function findInstallation(env: NodeJS.ProcessEnv = process.env): Installation | undefined {
  const erlang = findErlang(env['PATH'] ?? '');
  const home = env['RABBITMQ_HOME'] ?? newestIn(PACKAGE_FOLDER);
  if (erlang === undefined || home === undefined || !existsSync(join(home, 'sbin', 'rabbitmq-server')))
    return undefined;
  return { version: /(\d+(?:\.\d+)+)/.exec(home)?.[1] ?? 'unknown', home, erlang };
}

/**
 * The installed RabbitMQ; on Debian and Ubuntu, as root, the package is installed first if it is missing.
 *
 * @throws {Error} saying what to install
 */
export async function requireInstallation(): Promise<Installation> {
  const found = findInstallation();
  if (found !== undefined) return found;
  await installPackage('rabbitmq-server');
  const installed = findInstallation();
  if (installed !== undefined) return installed;
  throw new Error('the package rabbitmq-server was installed, but holds no server where it is expected');
}

function newestIn(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const byVersion = new Intl.Collator('en', { numeric: true });
  const newest = readdirSync(folder)
    .filter((name) => name.startsWith('rabbitmq_server-'))
    .sort(byVersion.compare)
    .at(-1);
  return newest === undefined ? undefined : join(folder, newest);
}

function findErlang(path: string): string | undefined {
  const erl = path
    .split(delimiter)
    .map((folder) => join(folder, 'erl'))
    .find((file) => existsSync(file));
  if (erl === undefined) return undefined;
  const root = dirname(dirname(realpathSync(erl)));
  if (existsSync(join(root, 'lib'))) return root;
  const asked = ['-noinput', '-eval', 'io:put_chars(code:root_dir()), halt().'];
  return execFileSync(erl, asked, { encoding: 'utf8' });
}
