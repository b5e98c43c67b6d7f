import { randomUUID } from 'node:crypto';
import { createServer, type Socket } from 'node:net';

import { describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';

import { inspectRedis } from '#messaging/operator';
import { TlsContext, type TlsMaterial } from '#tls';

import { asking } from '../../../libs/messaging/src/idempotency/asking.fixture.ts';
import { Authority } from '../../../libs/settings/src/certificates.fixture.ts';
import { freePorts } from '../../../scripts/network.ts';
import { PrivateRedis } from '../../support/private-redis.ts';
import { listenOnLoopback } from '../../support/loopback-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { isAway, isBack, redisForEach, Workers } from './workers.ts';

let redis: PrivateRedis;
let workers: Workers;

redisForEach((...started) => ([redis, workers] = started));

/** The reason why Redis is unavailable, as given by a worker and by `doctor`. */
async function reasonsOf(url: string): Promise<unknown[]> {
  using refused = new Workers(url);
  const store = refused.start();
  await isAway(store);
  const inspection = await inspectRedis(url, new TlsContext('REDIS'));
  return [store.state, inspection].map((found) => found.kind === 'away' && found.reason);
}

/**
 * Starts a server that is not Redis.
 *
 * @returns its URL
 */
async function impostor(serve: (socket: Socket) => void): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    serve(socket);
  });
  const close = async (): Promise<void> => void server.close();
  return { url: `redis://127.0.0.1:${await listenOnLoopback(server)}`, [Symbol.asyncDispose]: close };
}

describe('workers whose Redis refuses', () => {
  it('writes is unavailable until it accepts them', async () => {
    const one = await workers.join();
    await redis.run((client) => client.replicaof('127.0.0.1', 1));
    await one.claim(randomUUID(), asking('f'));
    expect(one.state).toMatchObject({ kind: 'away', reason: expect.stringMatching(/^READONLY/) });
    const states: string[] = [];
    const two = workers.start(({ kind }) => states.push(kind));
    await isAway(two);
    await redis.run((client) => client.replicaof('no', 'one'));
    await Promise.all([isBack(one), isBack(two)]);
    expect(states).toEqual(['away', 'available']);
  });

  /** The answer of Redis in protected mode to a client on another machine. */
  const DENIED = 'DENIED Redis is running in protected mode because no password is set';

  it('every connection in protected mode is unavailable for the reason that it gives', async () => {
    await using denying = await impostor((socket) => {
      socket.write(`-${DENIED}\r\n`, () => socket.destroy());
    });
    expect(await reasonsOf(denying.url)).toEqual([DENIED, DENIED]);
  });

  it.each<[string, (client: Redis) => Promise<unknown>, string, unknown]>([
    [
      'a client too many',
      (client) => client.config('SET', 'maxclients', 1),
      '//',
      'ERR max number of clients reached',
    ],
    [
      'clients without a password',
      (client) => client.config('SET', 'requirepass', 'a password'),
      '//',
      'NOAUTH Authentication required.',
    ],
    [
      'a wrong password, which the reason does not repeat,',
      (client) => client.config('SET', 'requirepass', 'a password'),
      '//:canary-5e2b@',
      expect.stringMatching(/^WRONGPASS (?!.*canary)/),
    ],
    [
      'an account what workers run',
      (client) => client.call('ACL', 'SETUSER', 'w', 'on', '>pw', '~*', '+@all', '-@scripting'),
      '//w:pw@',
      expect.stringMatching(/^NOPERM .*'eval' command/),
    ],
  ])('%s is away in its own words', async (_, refuse, credentials, words) => {
    const holder = await workers.join();
    await redis.run(refuse);
    expect(await reasonsOf(redis.url.replace('//', credentials))).toEqual([words, words]);
    expect(holder.state.kind).toBe('available');
  });

  it('a command of the handshake is unavailable for a reason without the repeated arguments', async () => {
    const answer = "-ERR unknown command 'AUTH', with args beginning with: 'canary-7d1a'\r\n";
    await using confused = await impostor((socket) => {
      socket.on('data', (text) => socket.write(answer.repeat(String(text).match(/^\*/gm)?.length ?? 0)));
    });
    const words = "ERR unknown command 'AUTH'";
    expect(await reasonsOf(confused.url.replace('//', '//:canary-7d1a@'))).toEqual([words, words]);
  });
});

describe('Redis over TLS', () => {
  it('is used with its CA and a certificate, even if they arrive later; otherwise the reason says what to do', async () => {
    const [authority, stranger] = await Promise.all([Authority.create(), Authority.create()]);
    const [{ ca }, server, client] = [
      authority,
      await authority.issue(['localhost']),
      await authority.issue(),
    ];
    using folder = temporaryFolder();
    const [port = 0] = await freePorts(1);
    await using _encrypted = await PrivateRedis.start({
      'tls-port': port,
      'tls-ca-cert-file': folder.write('ca.pem', ca),
      'tls-cert-file': folder.write('cert.pem', server.cert),
      'tls-key-file': folder.write('key.pem', server.key),
      'tls-auth-clients': 'yes',
    });
    const urlOf = (host: string) => `rediss://${host}:${port}`;
    const expectAway = async (advice: string, material: TlsMaterial, host = 'localhost') => {
      using refused = new Workers(urlOf(host), { tls: new TlsContext('REDIS', () => material) });
      const store = refused.start();
      const isSaid = () => store.state.kind === 'away' && store.state.reason.includes(advice);
      await until(`the reason names ${advice}`, isSaid);
    };
    await expectAway('REDIS_TLS_CA', client);
    await expectAway('REDIS_TLS_CA', { ca: stranger.ca, ...client });
    await expectAway('REDIS_TLS_CERT', { ca });
    await expectAway('for another host', { ca, ...client }, '127.0.0.1');

    let material: TlsMaterial = { ca };
    using rotated = new Workers(urlOf('localhost'), { tls: new TlsContext('REDIS', () => material) });
    const store = rotated.start();
    await isAway(store);
    material = { ca, ...client };
    await isBack(store);
  });
});
