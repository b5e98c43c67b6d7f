import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { DebianArchive } from '../../../scripts/broker/releases/debian-archive.ts';
import { unpackedRelease, unpackRelease } from '../../../scripts/broker/releases/unpack-release.ts';
import { DebianMirror } from './debian-mirror.ts';
import { requireInstallation } from '../../../scripts/broker/require-installation.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

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
