import { globSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';

/** A RabbitMQ server that is on this machine. */
export interface Installation {
  readonly version: string;
  /** Holds `sbin`, `plugins` and `escript`. */
  readonly home: string;
  /** The PATH by which its Erlang is found. */
  readonly path: string;
}

/** The RabbitMQ that RABBITMQ_HOME names, else the newest that a package has installed. */
export function findInstallation(): Installation | undefined {
  const home = process.env['RABBITMQ_HOME'];
  return home === undefined ? installationIn('/') : newestOf(home, '.', '/');
}

/** The RabbitMQ of packages that were unpacked into a folder; undefined if there is none. */
export function installationIn(folder: string): Installation | undefined {
  return newestOf(folder, 'usr/lib/rabbitmq/lib/rabbitmq_server-*', folder);
}

/** Its own scripts are used: those that a package puts into the PATH change the user and want the system's node. */
function newestOf(folder: string, homes: string, erlangIn: string): Installation | undefined {
  const byVersion = new Intl.Collator('en', { numeric: true });
  const servers = globSync(join(homes, 'sbin', 'rabbitmq-server'), { cwd: folder });
  const server = servers.sort(byVersion.compare).at(-1);
  if (server === undefined) return undefined;
  const home = join(folder, dirname(dirname(server)));
  const path = [join(erlangIn, 'usr/lib/erlang/bin'), process.env['PATH'] ?? ''];
  // What was unpacked has the Erlang that it needs beside it; the machine's own may not be the one in its PATH.
  if (erlangIn === '/') path.reverse();
  return {
    version: /(\d+(?:\.\d+)+)/.exec(basename(home))?.[1] ?? 'unknown',
    home,
    path: path.join(delimiter),
  };
}

/** The supported releases of RabbitMQ, oldest first, with the suite of Debian that holds each. */
export const SUITES = { '4.0': 'trixie', '4.3': 'sid' } as const;

export type Release = keyof typeof SUITES;

export const RELEASES = Object.keys(SUITES) as readonly Release[];

const VARIABLE = 'RABBITMQ_RELEASE';

/** @throws {Error} naming the releases that there are */
export function readRelease(text: string): Release {
  const release = RELEASES.find((each) => each === text);
  if (release === undefined)
    throw new Error(`RabbitMQ ${text} is not one of the releases ${RELEASES.join(', ')}`);
  return release;
}

/** The release that was chosen; undefined if any may be used. */
export function chosenRelease(): Release | undefined {
  const text = process.env[VARIABLE];
  return text ? readRelease(text) : undefined;
}

/**
 * Has every private broker of this process, and of those that it starts, be of this release.
 *
 * @throws {Error} naming the releases that there are
 */
export function chooseRelease(text: string): void {
  process.env[VARIABLE] = readRelease(text);
}
