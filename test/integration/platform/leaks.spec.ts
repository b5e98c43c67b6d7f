import { createServer } from 'node:net';
import { inspect } from 'node:util';

import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { CommandError } from '#contracts';

import {
  canariesIn,
  canary,
  SECRET_CANARY,
  TOKEN_CANARY,
  valuesIn,
  WAYS_TO_ECHO,
} from '../../support/fuzz/canary.ts';
import { until } from '../../support/until.ts';
import { buildClient, callWithin, createSession, failureOf, startPlatform } from './client.fixture.ts';
import { SESSION } from './documents.ts';
import {
  answers,
  type Behaviour,
  type LocalPlatform,
  neverAnswers,
  resets,
  targetOf,
} from './local-platform.ts';

describe('leaks', () => {
  let platform: LocalPlatform;

  beforeEach(async () => {
    platform = await startPlatform();
  });

  const LESS_THAN_A_CALL_MS = 30_000;
  const settled = () => new Promise((resolve) => setTimeout(resolve, 50));

  /** The sockets and timers of this process; a few are of Jest, and come and go. */
  function held(): number {
    return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap' || name === 'Timeout')
      .length;
  }

  /** What a call left behind would stay for its ten minutes; what is of Jest goes away. */
  async function expectNoMoreThan(before: number): Promise<void> {
    await until(`no more than ${before} are held`, () => held() <= before, LESS_THAN_A_CALL_MS);
  }

  describe('after close', () => {
    it('nothing is left of calls in flight, waiting or pausing, and each of them has ended', async () => {
      platform.next(answers(429, '', { 'retry-after': '20' })).always(neverAnswers);
      const before = held();
      const { client } = buildClient(platform.origin, { limits: { connections: 2 } });
      const pausing = failureOf(createSession(client));
      await settled();
      const others = Array.from({ length: 5 }, () => failureOf(createSession(client)));
      await until('two calls are in flight', () => platform.requests.length === 3);
      await client.close();
      const codes = (await Promise.all([pausing, ...others])).map(({ code }) => code);
      expect(codes).toEqual([
        'RATE_LIMITED',
        'OUTCOME_UNKNOWN',
        'OUTCOME_UNKNOWN',
        'PLATFORM_UNAVAILABLE',
        'PLATFORM_UNAVAILABLE',
        'PLATFORM_UNAVAILABLE',
      ]);
      await until('no connection is open', () => platform.openSockets === 0);
      await expectNoMoreThan(before);
    });

    it('nothing is left of a connection that was connecting', async () => {
      const silent = createServer((socket) => socket.on('error', () => undefined).resume());
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const { port } = silent.address() as { port: number };
      const before = held();
      const { client } = buildClient(`https://127.0.0.1:${port}`);
      const call = failureOf(createSession(client));
      await settled();
      await client.close();
      expect((await call).code).toBe('PLATFORM_UNAVAILABLE');
      await settled();
      await expectNoMoreThan(before);
      await new Promise((resolve) => silent.close(resolve));
    });

    it('a call fails at once, and no connection is made', async () => {
      const { client } = buildClient(platform.origin);
      await client.close();
      const error = await failureOf(createSession(client));
      expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', details: { reason: 'closed' } });
      expect(platform.connections).toBe(0);
    });
  });

  describe('an open client', () => {
    it('leaves no timer behind a call that has ended, however it ended', async () => {
      const { client } = buildClient(platform.origin);
      await createSession(client).catch(() => undefined);
      const before = held();
      platform.next(answers(200, SESSION), answers(422), resets, answers(200, SESSION), answers(503));
      platform.always(answers(200, SESSION));
      for (let i = 0; i < 5; i += 1) await createSession(client).catch(() => undefined);
      await expectNoMoreThan(before);
    });
  });

  it('offers HTTP/1.1 alone to a server that could do more', async () => {
    const hellos: Buffer[] = [];
    const server = createServer((socket) => {
      socket
        .on('error', () => undefined)
        .once('data', (hello) => {
          hellos.push(hello);
          socket.destroy();
        });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const { client } = buildClient(`https://localhost:${port}`, { limits: { maxAttempts: 1 } });
    await failureOf(createSession(client));
    expect(hellos[0]?.includes('\x08http/1.1')).toBe(true);
    expect(hellos[0]?.includes('\x02h2')).toBe(false);
    await new Promise((resolve) => server.close(resolve));
  });

  it('retries do not multiply the load on a platform that is down', async () => {
    platform.always(answers(503));
    const { client, observer } = buildClient(platform.origin, {
      limits: { connections: 64, queue: 1000 },
      // The budget refills with time, so time stands still.
      clock: () => 0,
    });
    await Promise.all(Array.from({ length: 300 }, () => failureOf(createSession(client))));
    expect(platform.requests.length).toBe(300 + observer.retries);
    expect(observer.retries).toBe(100);
  });
});

describe('canaries', () => {
  const game = fc.record(
    {
      player: fc.record({
        id: canary,
        nick: canary,
        email: canary,
        phoneNumber: canary,
        tag: canary,
        country: canary,
      }),
      session: fc.record({
        id: canary,
        userIp: canary,
        launchOptions: fc.oneof(
          fc.record({ restoreSessionUrl: canary, list: fc.array(canary, { maxLength: 3 }) }),
          fc.record({ restoreSessionUrl: canary }).map((options) => JSON.stringify(options)),
        ),
      }),
    },
    { requiredKeys: ['player'] },
  );

  /** Repeats everything that it was sent, written in the given way, wherever an answer has room for it. */
  function echoes(status: number, way: (text: string) => string): Behaviour {
    return (request, response, socket) => {
      const all = [
        targetOf(request),
        request.body,
        JSON.stringify(request.headers),
        valuesIn(request.body).join(' '),
      ].map(way);
      const entries = all.map((text) => ({
        title: text,
        detail: text,
        source: { pointer: text },
        [text]: text,
      }));
      const token = { auth: TOKEN_CANARY, 'redirect-url': `https://play.example/?auth=${TOKEN_CANARY}` };
      const text = JSON.stringify({
        errors: entries,
        data: { id: TOKEN_CANARY, type: all[0], attributes: token },
      });
      if (status === 0) socket.end(`HTTP/1.1 broken ${text}`);
      else
        response
          .writeHead(status, { location: all[0]?.replace(/[^ -~]/g, '') ?? '', 'x-echo': TOKEN_CANARY })
          .end(text);
    };
  }

  /** Everything that an error holds: what is sent on the bus, and what a log may print. */
  function everythingOf(error: CommandError): string {
    const { code, message, details, platform, violations, cause, stack } = error;
    return (
      inspect(
        { code, message, details, platform, violations, cause, stack },
        { depth: Infinity, maxStringLength: null },
      ) + JSON.stringify({ message, details, platform })
    );
  }

  const statuses = fc.constantFrom(0, 200, 302, 400, 403, 404, 422, 429, 500);
  const ways = fc.constantFrom(...Object.values(WAYS_TO_ECHO));

  it('no error holds a value of its command, a secret, a signature or a token', async () => {
    const platform = await startPlatform();
    const { client } = buildClient(platform.origin, {
      limits: { maxAttempts: 1 },
      credentials: { secretKey: SECRET_CANARY },
    });
    await fc.assert(
      fc.asyncProperty(game, canary, statuses, ways, async (data, userId, status, way) => {
        platform.always(echoes(status, way));
        const errors = [
          await failureOf(client.openGame(data, callWithin())),
          await failureOf(client.createSession({ userId, nick: data.player.nick }, callWithin())),
        ];
        for (const error of errors) {
          expect(canariesIn(everythingOf(error))).toEqual([]);
        }
      }),
      { numRuns: 100 },
    );
  });
});
