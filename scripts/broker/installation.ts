import { globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, join, relative } from 'node:path';

import { unpackPackage } from '../debian.ts';
import { withLock } from '../launcher/with-lock.mjs';
import { messageOf } from '../message-of.ts';

/** The supported releases of RabbitMQ, oldest first, each with the suite of Debian that contains it. */
const SUITES = { '4.0': 'trixie', '4.3': 'sid' } as const;

export type Release = keyof typeof SUITES;

export const RELEASES = Object.keys(SUITES) as readonly Release[];

export type Installation = NonNullable<ReturnType<typeof newestIn>>;

/** @throws {Error} naming the supported releases */
export function readRelease(text: string): Release {
  if (Object.hasOwn(SUITES, text)) return text as Release;
  throw new Error(`RabbitMQ ${text} is not one of the releases ${RELEASES.join(', ')}`);
}

/** The chosen release; undefined if any may be used. */
export function chosenRelease(): Release | undefined {
  const text = process.env['RABBITMQ_RELEASE'];
  return text ? readRelease(text) : undefined;
}

/**
 * Sets the release of all private brokers that this process and its children start.
 *
 * @throws as `readRelease` does
 */
export function chooseRelease(text: string | undefined): void {
  if (text !== undefined) process.env['RABBITMQ_RELEASE'] = readRelease(text);
}

/**
 * Returns the RabbitMQ for private brokers: the installed one if it has the chosen release, or is 4.0 or
 * newer if none was chosen. Otherwise it is the newest in Debian's archive, unpacked once into the user's
 * cache, without root.
 *
 * @throws {Error} with the reason if none is available
 */
export async function requireInstallation(): Promise<Installation> {
  const release = chosenRelease();
  const installed = findInstallation();
  const isRight = ({ version }: Installation): boolean =>
    release === undefined ? isSupported(version) : version.startsWith(`${release}.`);
  if (installed !== undefined && isRight(installed)) return installed;
  const reasons: string[] = [];
  for (const each of release === undefined ? RELEASES.toReversed() : [release]) {
    try {
      return await unpackRelease(each);
    } catch (error) {
      reasons.push(
        `RabbitMQ ${each} cannot be unpacked from Debian's suite ${SUITES[each]}: ${messageOf(error)}`,
      );
    }
  }
  throw new Error(reasons.join('; '));
}

export function isSupported(version: string): boolean {
  return Number.parseInt(version) >= 4;
}

/** Returns the RabbitMQ in RABBITMQ_HOME, or else the newest that a package has installed. */
export function findInstallation(): Installation | undefined {
  const home = process.env['RABBITMQ_HOME'];
  return home === undefined ? newestIn('/') : newestIn(home, '.', '/');
}

/**
 * Returns the newest RabbitMQ in a folder of packages; undefined if the folder contains none. It uses
 * RabbitMQ's own scripts, because the scripts that a package adds to the PATH change the user and expect the
 * system's node.
 */
function newestIn(folder: string, homes = 'usr/lib/rabbitmq/lib/rabbitmq_server-*', erlangIn = folder) {
  const byVersion = new Intl.Collator('en', { numeric: true });
  const servers = globSync(join(homes, 'sbin', 'rabbitmq-server'), { cwd: folder });
  const server = servers.sort(byVersion.compare).at(-1);
  if (server === undefined) return undefined;
  // Contains `sbin`, `plugins` and `escript`.
  const home = join(folder, dirname(dirname(server)));
  const version = /(\d+(?:\.\d+)+)/.exec(basename(home))?.[1] ?? 'unknown';
  const path = [join(erlangIn, 'usr/lib/erlang/bin'), process.env['PATH'] ?? ''];
  // An unpacked package has its Erlang in the same folder; the Erlang in the machine's PATH may have another
  // version.
  if (erlangIn === '/') path.reverse();
  return { version, home, path: path.join(delimiter) };
}

/**
 * Downloads the RabbitMQ of a suite of Debian once, with its Erlang and its libraries, into the user's cache.
 * It needs no root, changes nothing else on the machine, and reports its progress on stderr.
 */
function unpackRelease(release: Release): Promise<Installation> {
  const suite = SUITES[release];
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'poker-bridge', 'rabbitmq');
  const home = join(cache, suite);
  mkdirSync(cache, { recursive: true });
  return withLock(join(cache, `${suite}.lock`), async () => {
    const found = newestIn(home);
    if (found !== undefined) return found;
    const folder = mkdtempSync(join(cache, `${suite}-`));
    try {
      await unpackPackage('rabbitmq-server', suite, folder);
      useOwnLoader(folder, home);
      rmSync(home, { recursive: true, force: true });
      renameSync(folder, home);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    const unpacked = newestIn(home);
    if (unpacked === undefined) throw new Error('the packages hold no server in the expected place');
    return unpacked;
  });
}

/**
 * Replaces each program of the Erlang in a folder by a script of the same name, which starts it with the
 * loader and the libraries of that folder, because the machine's may be older. The folder is renamed to
 * `home` later.
 */
export function useOwnLoader(folder: string, home: string): void {
  // Up to Debian 12, some packages install libraries outside of /usr.
  const [loader] = globSync('{usr/lib,lib}/*/ld-linux-*.so.*', { cwd: folder });
  if (loader === undefined) throw new Error('the packages contain no loader');
  const triplet = basename(dirname(loader));
  const libraries = ['usr/lib', 'lib'].map((each) => join(home, each, triplet)).join(':');
  const places = ['usr/lib/erlang/{bin,erts-*/bin}/*', 'usr/lib/erlang/lib/*/priv/bin/*'];
  for (const entry of globSync(places, { cwd: folder, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const content = readFileSync(file, 'latin1');
    const final = join(home, relative(folder, file));
    if (content.startsWith('\u007fELF')) {
      renameSync(file, `${file}.elf`);
      const options = `--library-path '${libraries}' --argv0 '${final}'`;
      const script = `#!/bin/sh\nexec '${join(home, loader)}' ${options} '${final}.elf' "$@"\n`;
      writeFileSync(file, script, { mode: 0o755 });
    } else if (basename(file) === 'erl') {
      const root = join(home, 'usr/lib/erlang');
      writeFileSync(file, content.replaceAll('ROOTDIR=/usr/lib/erlang', `ROOTDIR='${root}'`), 'latin1');
    }
  }
}
