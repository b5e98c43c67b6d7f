import { lookup } from 'node:dns';

import { beforeEach, describe, expect, it } from '@jest/globals';

import { type Ask, Names } from '#platform';

import { until } from '../../support/until.ts';
import { buildClient, callWithin, CALLS, codeOf, createSession, platform } from './client.fixture.ts';
import { errors, GAME, SESSION } from './documents.ts';
import { answers, answersAfter, answersTo, resets } from './local-platform.ts';

const answersSession = answers(200, SESSION);

beforeEach(() => void platform.always(answersSession));

it('there are never more calls in flight than connections, on either side and over both roots', async () => {
  platform.always(answersAfter(20, answersTo('open-game', answers(200, GAME), answersSession)));
  const { client, observer } = buildClient({ limits: { connections: 3, queue: 26 } });
  const calls = Array.from({ length: 30 }, (_, index) =>
    codeOf(CALLS[index % 2 ? 'game.open' : 'session.create'](client)),
  );
  const codes = await Promise.all(calls);
  expect([platform.requests.length, platform.maxInFlight, platform.connections]).toEqual([29, 3, 3]);
  expect([codes.at(-1), observer.refusals, observer.waits]).toEqual(['OVERLOADED', ['overloaded'], 26]);
});

describe('keep-alive', () => {
  it('uses one connection for consecutive calls, after errors too, since their bodies are read', async () => {
    platform.next(answersSession).always(answers(422, errors(422, { detail: 'x'.repeat(10_000) })));
    const { client } = buildClient();
    for (let i = 0; i < 10; i += 1) await codeOf(createSession(client));
    expect(platform.connections).toBe(1);
  });

  it('is not trusted: if a server closes an idle connection after a request, the outcome is unknown', async () => {
    platform.next(answersSession, resets, answersSession);
    const { client, observer } = buildClient();
    await createSession(client);
    await createSession(client);
    expect(observer.results).toEqual(['2xx', 'reset', '2xx']);
    expect(platform.requests).toHaveLength(3);
  });

  it('opens a new connection if the server closed the idle one', async () => {
    platform.always(answersAfter(0, answers(200, SESSION, { connection: 'close' })));
    const { client, observer } = buildClient();
    for (let i = 0; i < 5; i += 1) await createSession(client);
    expect([observer.results, platform.connections]).toEqual([Array<string>(5).fill('2xx'), 5]);
  });

  it('lasts seconds, however long the server offers: an older connection may be closing at that moment', async () => {
    platform.always(answers(200, SESSION, { 'keep-alive': 'timeout=600' }));
    const { client } = buildClient();
    await createSession(client);
    expect(platform.openSockets).toBe(1);
    await until('the idle connection is closed', () => platform.openSockets === 0);
    await createSession(client);
    expect(platform.connections).toBe(2);
  });
});

describe('names', () => {
  const THREADS = 4;
  const CALLS_OF_EACH = 20;

  /** The system of a process with four threads for its questions, one of which nobody ever answers. */
  function systemWithDead(dead: string): Ask {
    let free = THREADS;
    const queued: (() => void)[] = [];
    const next = (): void => {
      while (free > 0 && queued.length > 0) {
        free -= 1;
        queued.shift()?.();
      }
    };
    return (host, options, callback) => {
      queued.push(() => {
        if (host === dead) return;
        lookup(host, options, (error, addresses) => {
          free += 1;
          next();
          callback(error, addresses);
        });
      });
      next();
    };
  }

  it('a name that nobody resolves holds up no other operator, whatever its calls', async () => {
    const names = new Names(systemWithDead('dead.example'));
    const clientOf = (origin: string) =>
      buildClient({
        origin,
        limits: { attemptTimeoutMs: 20_000, connections: 64 },
        transport: { names },
      }).client;
    const codes = (client: ReturnType<typeof clientOf>, ms: number) =>
      Promise.all(Array.from({ length: CALLS_OF_EACH }, () => codeOf(createSession(client, callWithin(ms)))));
    const lost = codes(clientOf('http://dead.example'), 1_000);
    const healthy = clientOf(platform.origin.replace('127.0.0.1', 'localhost'));
    expect(new Set(await codes(healthy, 20_000))).toEqual(new Set(['OK']));
    expect(new Set(await lost)).toEqual(new Set(['COMMAND_EXPIRED']));
  });
});
