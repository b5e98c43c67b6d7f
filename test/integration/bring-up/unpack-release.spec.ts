import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';

import { expect, it } from '@jest/globals';

import type { Release } from '../../../scripts/broker/installation.ts';
import {
  requireInstallation,
  unpackRelease,
  useOwnLoader,
} from '../../../scripts/broker/require-installation.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

it('an unpacked RabbitMQ runs on the loader and the libraries of its folder', () => {
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

it.each([
  ['that Debian has not signed', 'Origin: a stranger\n', /is not signed/],
  ['that cannot be had', undefined, /404/],
])('a suite %s is refused, and leaves nothing', async (_, release, reason) => {
  using folder = temporaryFolder();
  const server = createServer(({ url }, response) => {
    const isThere = release !== undefined && url === '/dists/sid/Release';
    response.writeHead(isThere ? 200 : 404).end(release);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const mirror = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const unpacking = unpackRelease('4.3', { mirror, cache: folder.path });
    await expect(unpacking).rejects.toThrow("RabbitMQ 4.3 cannot be unpacked from Debian's suite sid: ");
    await expect(unpacking).rejects.toThrow(reason);
    expect(readdirSync(folder.path)).toEqual([]);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

const installation = (version: string) => ({ version, home: '/nowhere', erlang: '/nowhere' });
const unpack = (release: Release) => Promise.resolve(installation(`${release}.99`));

it.each([
  ['4.1.4', '4.1.4'],
  ['3.10.8', '4.3.99'],
])('where RabbitMQ %s is installed, %s is used', async (installed, used) => {
  const found = await requireInstallation({ release: undefined, installed: installation(installed), unpack });
  expect(found.version).toBe(used);
});

it('the older release is used if the newest cannot be had', async () => {
  const away = (release: Release) =>
    release === '4.3' ? Promise.reject(new Error('no 4.3')) : unpack(release);
  const installed = installation('3.10.8');
  expect(await requireInstallation({ installed, unpack: away })).toMatchObject({ version: '4.0.99' });
  await expect(requireInstallation({ release: '4.3', installed, unpack: away })).rejects.toThrow('no 4.3');
});
