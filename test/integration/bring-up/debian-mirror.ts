import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { createCleartextMessage, generateKey, readPrivateKey, sign } from 'openpgp';

const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'amd64';
const INDEX = `main/binary-${ARCHITECTURE}/Packages.gz`;

/** A mirror of Debian's archive with one package, `rabbitmq-server`, in its suite `sid`, signed by a key of its own. */
export class DebianMirror implements AsyncDisposable {
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
