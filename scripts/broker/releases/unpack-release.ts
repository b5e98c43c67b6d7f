import { execFile } from 'node:child_process';
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
import { promisify } from 'node:util';

import { withLock } from '../../launcher/with-lock.mjs';
import { messageOf } from '../../message-of.ts';
import { type Installation, installationIn } from '../installation.ts';
import { DebianArchive, type DebianPackage, type PackageIndex } from './debian-archive.ts';
import { type Release, SUITES } from './releases.ts';

const ELF = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);
const PACKAGED_ROOT = 'ROOTDIR=/usr/lib/erlang';

/**
 * Has the Erlang of a folder run with the loader and the libraries of that folder, since those of the machine may be
 * older: each of its programs becomes a script of the same name that starts it so.
 *
 * @param folder what the packages were unpacked into
 * @param home where the folder will stand
 */
function useOwnLoader(folder: string, home: string): void {
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

const DOWNLOADS_AT_ONCE = 4;
const MEGABYTE = 1_000_000;

/** What a broker in a folder does without, of all that its package and those of Erlang need. */
const LEFT_OUT = new Set(
  `adduser openssl socat procps python3 debconf systemd systemd-sysusers systemd-standalone-sysusers rabbitmqadmin-ng
  erlang-base-hipe gcc-12-base gcc-14-base gcc-15-base gcc-16-base openssl-provider-legacy libc-bin
  libwxgtk3.2-1 libwxgtk3.2-1t64 logrotate lsb-base`.split(/\s+/),
);

export interface UnpackOptions {
  /** Default: Debian's own. */
  readonly archive?: DebianArchive;
  /** Default: a folder of this project's in the user's cache. */
  readonly cache?: string;
}

/** A release that was unpacked before; undefined if it was not, or not to its end. */
export function unpackedRelease(release: Release, cache = cacheFolder()): Installation | undefined {
  return installationIn(join(cache, SUITES[release]));
}

/**
 * The RabbitMQ of a suite of Debian with its Erlang and its libraries in a folder of the user's cache: downloaded once,
 * checked by the signature of the suite, without root, and without a change to the machine. Tells its progress on stderr.
 *
 * @throws {Error} saying why it cannot be had
 */
export async function unpackRelease(
  release: Release,
  { archive = new DebianArchive(), cache = cacheFolder() }: UnpackOptions = {},
): Promise<Installation> {
  const suite = SUITES[release];
  mkdirSync(cache, { recursive: true });
  return withLock(join(cache, `${suite}.lock`), async () => {
    const found = unpackedRelease(release, cache);
    if (found !== undefined) return found;
    const home = join(cache, suite);
    const folder = mkdtempSync(join(cache, `${suite}-`));
    try {
      const index = await archive.indexOf(suite);
      await unpack(archive, index, suite, { folder, home });
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
    const unpacked = unpackedRelease(release, cache);
    if (unpacked === undefined) throw new Error(`the suite ${suite} holds no server where it is expected`);
    return unpacked;
  });
}

async function unpack(
  archive: DebianArchive,
  index: PackageIndex,
  suite: string,
  { folder, home }: { readonly folder: string; readonly home: string },
): Promise<void> {
  const packages = index.closureOf('rabbitmq-server', LEFT_OUT);
  const version = packages.find(({ name }) => name === 'rabbitmq-server')?.version;
  const bytes = packages.reduce((sum, each) => sum + each.bytes, 0);
  const megabytes = (bytes / MEGABYTE).toFixed(0);
  process.stderr.write(
    `poker-bridge: unpacking RabbitMQ ${version} of Debian ${suite} into ${home}, ${megabytes} MB … `,
  );
  const startedMs = performance.now();
  const waiting = [...packages];
  const unpackNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await unpackOne(archive, next, folder);
    }
  };
  try {
    await Promise.all(Array.from({ length: DOWNLOADS_AT_ONCE }, unpackNext));
  } catch (error) {
    waiting.length = 0;
    process.stderr.write('failed\n');
    throw error;
  }
  process.stderr.write(`done after ${((performance.now() - startedMs) / 1_000).toFixed(1)} s\n`);
}

async function unpackOne(archive: DebianArchive, each: DebianPackage, folder: string): Promise<void> {
  const file = join(folder, `${each.name}.deb`);
  writeFileSync(file, await archive.download(each));
  await promisify(execFile)('dpkg-deb', ['--extract', file, folder]);
  rmSync(file);
}

function cacheFolder(): string {
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(base, 'poker-bridge', 'rabbitmq');
}
