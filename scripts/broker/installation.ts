import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';

/** A RabbitMQ server that is on this machine. */
export interface Installation {
  readonly version: string;
  /** Holds `sbin`, `plugins` and `escript`. */
  readonly home: string;
  /** Erlang's root, with `lib` and `bin`. */
  readonly erlang: string;
}

const PACKAGE_FOLDER = 'usr/lib/rabbitmq/lib';
const ERLANG_FOLDER = 'usr/lib/erlang';

/**
 * Finds the newest RabbitMQ that a package has installed, or the one that RABBITMQ_HOME names. Its own scripts are
 * used, because those that a package puts into the PATH change the user and want the system's node.
 */
export function findInstallation(env: NodeJS.ProcessEnv = process.env): Installation | undefined {
  const erlang = findErlang(env['PATH'] ?? '');
  const home = env['RABBITMQ_HOME'] ?? newestIn(join('/', PACKAGE_FOLDER));
  return erlang === undefined || home === undefined ? undefined : installationOf(home, erlang);
}

/** The RabbitMQ of packages that were unpacked into a folder; undefined if there is none. */
export function installationIn(folder: string): Installation | undefined {
  const home = newestIn(join(folder, PACKAGE_FOLDER));
  return home === undefined ? undefined : installationOf(home, join(folder, ERLANG_FOLDER));
}

function installationOf(home: string, erlang: string): Installation | undefined {
  if (!existsSync(join(home, 'sbin', 'rabbitmq-server'))) return undefined;
  return { version: /(\d+(?:\.\d+)+)/.exec(basename(home))?.[1] ?? 'unknown', home, erlang };
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

/** The supported releases of RabbitMQ, oldest first, with the suite of Debian that holds each. */
export const SUITES = { '4.0': 'trixie', '4.3': 'sid' } as const;

export type Release = keyof typeof SUITES;

export const RELEASES = Object.keys(SUITES) as readonly Release[];

/** Names the release that private brokers are to be, for this process and those that it starts. */
const VARIABLE = 'RABBITMQ_RELEASE';

/** @throws {Error} naming the releases that there are */
export function readRelease(text: string): Release {
  const release = RELEASES.find((each) => each === text);
  if (release === undefined) throw new Error(`--release ${text} is none of ${RELEASES.join(', ')}`);
  return release;
}

/** The release that was chosen; undefined if any may be used. */
export function chosenRelease(): Release | undefined {
  const text = process.env[VARIABLE];
  return text === undefined || text === '' ? undefined : readRelease(text);
}

/**
 * Has every private broker of this process, and of those that it starts, be of this release.
 *
 * @throws {Error} naming the releases that there are
 */
export function chooseRelease(text: string): void {
  process.env[VARIABLE] = readRelease(text);
}
