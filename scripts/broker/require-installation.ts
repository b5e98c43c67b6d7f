import {
  chmodSync,
  closeSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';

import { unpackPackage } from '../debian.ts';
import { withLock } from '../launcher/with-lock.mjs';
import { messageOf } from '../message-of.ts';
import {
  chosenRelease,
  findInstallation,
  type Installation,
  installationIn,
  type Release,
  RELEASES,
  SUITES,
} from './installation.ts';

const ELF = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);
const PACKAGED_ROOT = 'ROOTDIR=/usr/lib/erlang';

export interface RequireOptions {
  /** Default: the one that was chosen for this process; else any from 4.0 on. */
  readonly release?: Release | undefined;
  /** Default: what is installed on this machine. */
  readonly installed?: Installation | undefined;
  readonly unpack?: (release: Release) => Promise<Installation>;
}

/**
 * The RabbitMQ for private brokers: the installed one if it is of the release, or from 4.0 on if none was chosen; else
 * the newest of Debian's archive, unpacked once into the user's cache, without root.
 *
 * @throws {Error} saying why there is none
 */
export async function requireInstallation({
  release = chosenRelease(),
  installed = findInstallation(),
  unpack = unpackRelease,
}: RequireOptions = {}): Promise<Installation> {
  const isRight = ({ version }: Installation): boolean =>
    release === undefined ? isSupported(version) : version.startsWith(`${release}.`);
  if (installed !== undefined && isRight(installed)) return installed;
  const reasons: string[] = [];
  for (const each of release === undefined ? RELEASES.toReversed() : [release]) {
    try {
      return await unpack(each);
    } catch (error) {
      reasons.push(messageOf(error));
    }
  }
  throw new Error(reasons.join('; '));
}

/** Whether a version such as `4.3.6` is 4.0 or newer. */
export function isSupported(version: string): boolean {
  return Number.parseInt(version) >= 4;
}

/**
 * The RabbitMQ of a suite of Debian with its Erlang and its libraries in a folder of the user's cache: downloaded once,
 * without root, and without a change to the machine. Tells its progress on stderr.
 *
 * @throws {Error} saying why it cannot be had
 */
export async function unpackRelease(
  release: Release,
  { mirror, cache = cacheFolder() }: { readonly mirror?: string; readonly cache?: string } = {},
): Promise<Installation> {
  const suite = SUITES[release];
  const home = join(cache, suite);
  mkdirSync(cache, { recursive: true });
  return withLock(join(cache, `${suite}.lock`), async () => {
    const found = installationIn(home);
    if (found !== undefined) return found;
    const folder = mkdtempSync(join(cache, `${suite}-`));
    try {
      await unpackPackage('rabbitmq-server', suite, folder, mirror);
      useOwnLoader(folder, home);
      rmSync(home, { recursive: true, force: true });
      renameSync(folder, home);
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw new Error(
        `RabbitMQ ${release} cannot be unpacked from Debian's suite ${suite}: ${messageOf(error)}`,
        { cause: error },
      );
    }
    const unpacked = installationIn(home);
    if (unpacked === undefined) throw new Error(`the suite ${suite} holds no server where it is expected`);
    return unpacked;
  });
}

/**
 * Has the Erlang of a folder run with the loader and the libraries of that folder, since those of the machine may be
 * older: each of its programs becomes a script of the same name that starts it so.
 *
 * @param folder what the packages were unpacked into
 * @param home the folder's later name
 */
export function useOwnLoader(folder: string, home: string): void {
  // Up to Debian 12, some packages have their libraries outside of /usr.
  const [loader] = globSync('{usr/lib,lib}/*/ld-linux-*.so.*', { cwd: folder });
  if (loader === undefined) throw new Error(`${folder} holds no loader`);
  const triplet = basename(dirname(loader));
  const libraries = ['usr/lib', 'lib'].map((each) => join(home, each, triplet)).join(':');
  const programs = globSync(['usr/lib/erlang/{bin,erts-*/bin}/*', 'usr/lib/erlang/lib/*/priv/bin/*'], {
    cwd: folder,
  });
  for (const program of programs.filter((each) => isProgram(join(folder, each)))) {
    const [file, final] = [join(folder, program), join(home, program)];
    renameSync(file, `${file}.elf`);
    writeFileSync(
      file,
      `#!/bin/sh\nexec '${join(home, loader)}' --library-path '${libraries}' --argv0 '${final}' '${final}.elf' "$@"\n`,
    );
    chmodSync(file, 0o755);
  }
  for (const script of globSync('usr/lib/erlang/{bin,erts-*/bin}/erl', { cwd: folder })) {
    const file = join(folder, script);
    if (!lstatSync(file).isFile()) continue;
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replaceAll(PACKAGED_ROOT, `ROOTDIR='${join(home, 'usr/lib/erlang')}'`));
  }
}

function isProgram(file: string): boolean {
  if (!lstatSync(file).isFile()) return false;
  const descriptor = openSync(file, 'r');
  const start = Buffer.alloc(ELF.length);
  readSync(descriptor, start);
  closeSync(descriptor);
  return start.equals(ELF);
}

function cacheFolder(): string {
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(base, 'poker-bridge', 'rabbitmq');
}
