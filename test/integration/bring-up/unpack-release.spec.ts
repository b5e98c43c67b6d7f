import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createCleartextMessage, generateKey, readPrivateKey, sign } from 'openpgp';

import { DebianArchive } from '../../../scripts/broker/releases/debian-archive.ts';
import { unpackedRelease, unpackRelease } from '../../../scripts/broker/releases/unpack-release.ts';
import { requireInstallation } from '../../../scripts/broker/require-installation.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'amd64';
const INDEX = `main/binary-${ARCHITECTURE}/Packages.gz`;

/** A mirror of Debian's archive with one package, `rabbitmq-server`, in its suite `sid`, signed by a key of its own. */
class DebianMirror implements AsyncDisposable {
  readonly files = new Map<string, Buffer>();
  /** Paths in the order in which they were asked for. */
  readonly asked: string[] = [];
  /** Armored; of whoever signs here. */
  readonly key: string;
  readonly #server: Server;
  readonly #sign: (text: string) => Promise<string>;

  private constructor(key: string, signText: (text: string) => Promise<string>) {
    this.key = key;
    this.#sign = signText;
    this.#server = createServer(({ url = '' }, response) => {
      this.asked.push(url.slice(1));
      const file = this.files.get(url.slice(1));
      response.writeHead(file ? 200 : 404).end(file);
    });
  }

  /** @param folder for what the package is built from */
  static async start(folder: string, suite = 'sid'): Promise<DebianMirror> {
    const userIDs = [{ name: 'a mirror of a test' }];
    const { publicKey, privateKey } = await generateKey({ userIDs, format: 'armored' });
    const signingKeys = await readPrivateKey({ armoredKey: privateKey });
    const mirror = new DebianMirror(publicKey, async (text) =>
      sign({ message: await createCleartextMessage({ text }), signingKeys }),
    );
    mirror.#server.listen(0, '127.0.0.1');
    await once(mirror.#server, 'listening');
    mirror.files.set('pool/server.deb', buildPackage(folder));
    await mirror.#publish(suite);
    return mirror;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #publish(suite: string): Promise<void> {
    const file = this.files.get('pool/server.deb') ?? Buffer.alloc(0);
    const index = gzipSync(
      `Package: rabbitmq-server\nVersion: 4.3.99-1\nDepends: adduser\nFilename: pool/server.deb\n` +
        `Size: ${file.length}\nSHA256: ${sha256(file)}\n\n`,
    );
    const release = `Origin: a test\nSHA256:\n ${sha256(index)} ${index.length} ${INDEX}\n`;
    const path = `dists/${suite}/main/binary-${ARCHITECTURE}/by-hash/SHA256/${sha256(index)}`;
    this.files.set(path, index);
    this.files.set(`dists/${suite}/InRelease`, Buffer.from(await this.#sign(release)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** What the real packages have as far as the unpacking looks at it: a server, a loader, and Erlang's start script. */
function buildPackage(folder: string): Buffer {
  const write = (path: string, text: string): void => {
    const file = join(folder, 'content', path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text, { mode: 0o755 });
  };
  write(
    'DEBIAN/control',
    'Package: rabbitmq-server\nVersion: 4.3.99-1\nArchitecture: all\nMaintainer: a test <a@test>\nDescription: none\n',
  );
  write('usr/lib/rabbitmq/lib/rabbitmq_server-4.3.99/sbin/rabbitmq-server', '#!/bin/sh\n');
  write('usr/lib/a-triplet/ld-linux-test.so.2', '#!/bin/sh\necho "loader: $*"\n');
  write('usr/lib/erlang/bin/erl', '#!/bin/sh\nROOTDIR=/usr/lib/erlang\necho "$ROOTDIR"\n');
  write('usr/lib/erlang/bin/escript', '\u007fELF, of which nothing is run');
  const file = join(folder, 'server.deb');
  execFileSync('dpkg-deb', ['--build', '--root-owner-group', join(folder, 'content'), file], {
    stdio: 'ignore',
  });
  return readFileSync(file);
}

describe('a release of RabbitMQ that is unpacked from Debian', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let mirror: DebianMirror;
  let cache: string;

  beforeEach(async () => {
    folder = temporaryFolder();
    cache = join(folder.path, 'cache');
    mirror = await DebianMirror.start(folder.path);
  });

  afterEach(async () => {
    await mirror[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const unpack = () => unpackRelease('4.3', { archive: new DebianArchive(mirror.url, mirror.key), cache });
  const left = () => readdirSync(cache).filter((name) => name !== 'sid');

  it('stands in the cache, and is downloaded once', async () => {
    const installation = await unpack();
    expect(installation).toEqual({
      version: '4.3.99',
      home: join(cache, 'sid/usr/lib/rabbitmq/lib/rabbitmq_server-4.3.99'),
      erlang: join(cache, 'sid/usr/lib/erlang'),
    });
    const { length } = mirror.asked;
    expect(await unpack()).toEqual(installation);
    expect(unpackedRelease('4.3', cache)).toEqual(installation);
    expect(mirror.asked).toHaveLength(length);
    expect(left()).toEqual([]);
  });

  it('runs on the loader and the libraries of its folder', async () => {
    const { erlang } = await unpack();
    const run = (name: string) =>
      execFileSync(join(erlang, 'bin', name), ['-x'], { encoding: 'utf8' }).trim();
    expect(run('erl')).toBe(erlang);
    const libraries = `${join(cache, 'sid/usr/lib/a-triplet')}:${join(cache, 'sid/lib/a-triplet')}`;
    const escript = join(erlang, 'bin/escript');
    expect(run('escript')).toBe(`loader: --library-path ${libraries} --argv0 ${escript} ${escript}.elf -x`);
  });

  it('is refused if another key has signed the suite', async () => {
    const archive = new DebianArchive(mirror.url);
    await expect(unpackRelease('4.3', { archive, cache })).rejects.toThrow(
      'InRelease is not signed by Debian',
    );
    expect(left()).toEqual([]);
  });

  it('is refused if the signed text was changed', async () => {
    const release = mirror.files.get('dists/sid/InRelease')?.toString() ?? '';
    mirror.files.set('dists/sid/InRelease', Buffer.from(release.replace('Origin: a', 'Origin: another')));
    await expect(unpack()).rejects.toThrow('InRelease is not signed by Debian');
  });

  it('is refused if a package is not the one of the index', async () => {
    mirror.files.set('pool/server.deb', Buffer.from('another one'));
    await expect(unpack()).rejects.toThrow(/server\.deb has the SHA-256 [0-9a-f]{64} instead of/);
    expect(left()).toEqual([]);
    expect(unpackedRelease('4.3', cache)).toBeUndefined();
  });

  it('says which address does not answer if the network is away', async () => {
    const { url } = mirror;
    await mirror[Symbol.asyncDispose]();
    mirror = await DebianMirror.start(folder.path);
    const unpacking = unpackRelease('4.3', { archive: new DebianArchive(url), cache });
    await expect(unpacking).rejects.toThrow("RabbitMQ 4.3 cannot be unpacked from Debian's suite sid: ");
    await expect(unpacking).rejects.toThrow(/InRelease cannot be had: .*ECONNREFUSED/);
  });

  it.each([
    ['4.1.4', 'is used'],
    ['3.10.8', 'is passed over for what Debian has'],
  ])('an installed RabbitMQ %s %s', async (version) => {
    const installed = { version, home: '/nowhere', erlang: '/nowhere' };
    const archive = new DebianArchive(mirror.url, mirror.key);
    const found = await requireInstallation({ release: undefined, installed, archive, cache });
    expect(found.version).toBe(version === '4.1.4' ? version : '4.3.99');
  });

  it('is an older one if the newest cannot be had', async () => {
    await mirror[Symbol.asyncDispose]();
    mirror = await DebianMirror.start(folder.path, 'trixie');
    const archive = new DebianArchive(mirror.url, mirror.key);
    const { home } = await requireInstallation({ installed: undefined, archive, cache });
    expect(home).toContain(join(cache, 'trixie'));
    await expect(requireInstallation({ release: '4.3', archive, cache })).rejects.toThrow('suite sid');
  });
});
