import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';

import { afterEach, expect, it, jest } from '@jest/globals';

import { requireInstallation, useOwnLoader } from '../../../scripts/broker/installation.ts';
import { listenOnLoopback } from '../../support/loopback-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

it('an unpacked RabbitMQ uses the loader and the libraries of its folder', () => {
  using folder = temporaryFolder();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text, { mode: 0o755 });
  };
  write('usr/lib/a-triplet/ld-linux-test.so.2', '#!/bin/sh\necho "loader: $*"\n');
  write('usr/lib/erlang/bin/erl', '#!/bin/sh\nROOTDIR=/usr/lib/erlang\necho "$ROOTDIR"\n');
  write('usr/lib/erlang/bin/escript', '\u007fELF, of which nothing is run');
  useOwnLoader(folder.path, folder.path);

  const erlang = join(folder.path, 'usr/lib/erlang');
  const run = (name: string) => execFileSync(join(erlang, 'bin', name), ['-x'], { encoding: 'utf8' }).trim();
  expect(run('erl')).toBe(erlang);
  const libraries = ['usr/lib', 'lib'].map((path) => join(folder.path, path, 'a-triplet')).join(':');
  const escript = join(erlang, 'bin/escript');
  expect(run('escript')).toBe(`loader: --library-path ${libraries} --argv0 ${escript} ${escript}.elf -x`);
});

/** A cache of the user that holds nothing, in which a mirror may be, and where no RabbitMQ is installed. */
function machine(variables: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  const env = { XDG_CACHE_HOME: folder.path, RABBITMQ_HOME: join(folder.path, 'none'), ...variables };
  jest.replaceProperty(process, 'env', { ...process.env, RABBITMQ_RELEASE: '', ...env });
  const cache = join(folder.path, 'poker-bridge', 'rabbitmq');
  return { cache, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

/** A mirror of Debian's archive that has nothing but a release file, if it is given. */
async function mirrorWith(release?: string) {
  const server = createServer(({ url }, response) => {
    const isThere = release !== undefined && url === '/dists/sid/Release';
    response.writeHead(isThere ? 200 : 404).end(release);
  });
  const port = await listenOnLoopback(server);
  const close = (): void => server.close().closeAllConnections();
  return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: close };
}

afterEach(() => void jest.restoreAllMocks());

it.each([
  ['that Debian has not signed', 'Origin: a stranger\n', /is not signed/],
  ['that cannot be had', undefined, /404/],
])('a suite %s is refused, and leaves nothing', async (_, release, reason) => {
  using mirror = await mirrorWith(release);
  using user = machine({ DEBIAN_MIRROR: mirror.url, RABBITMQ_RELEASE: '4.3' });
  const required = requireInstallation();
  await expect(required).rejects.toThrow("RabbitMQ 4.3 cannot be unpacked from Debian's suite sid: ");
  await expect(required).rejects.toThrow(reason);
  expect(readdirSync(user.cache)).toEqual([]);
});

/** Puts a RabbitMQ where its packages would, and returns its folder. */
function put(folder: string, version: string): string {
  const home = join(folder, `rabbitmq_server-${version}`);
  mkdirSync(join(home, 'sbin'), { recursive: true });
  writeFileSync(join(home, 'sbin', 'rabbitmq-server'), '');
  return home;
}

it.each([
  ['an installed one that is supported', '4.1.4', '', ['4.0.9', '4.3.9'], '4.1.4'],
  ['the newest that can be unpacked', '3.10.8', '', ['4.0.9', '4.3.9'], '4.3.9'],
  ['the older one if the newest cannot be had', '3.10.8', '', ['4.0.9'], '4.0.9'],
  ['that of the release, whatever is installed', '4.3.1', '4.0', ['4.0.9', '4.3.9'], '4.0.9'],
])('the RabbitMQ for private brokers is %s', async (_, installed, release, unpacked, used) => {
  using mirror = await mirrorWith();
  using user = machine({ RABBITMQ_RELEASE: release, DEBIAN_MIRROR: mirror.url });
  process.env['RABBITMQ_HOME'] = put(user.cache, installed);
  for (const version of unpacked)
    put(join(user.cache, version.startsWith('4.3') ? 'sid' : 'trixie', 'usr/lib/rabbitmq/lib'), version);
  expect(await requireInstallation()).toMatchObject({ version: used });
});
