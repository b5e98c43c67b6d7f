import { lookup } from 'node:dns';

import { beforeEach, describe, expect, it } from '@jest/globals';

import { type Ask, Names } from '#platform';

import { until } from '../../support/until.ts';
import {
  buildClient,
  callWithin,
  CALLS,
  codeOf,
  createSession,
  failureOf,
  startPlatform,
} from './client.fixture.ts';
import { AD_HOC_REPORT, errors, GAME, SESSION, sessionOf } from './documents.ts';
import {
  answers,
  answersAfter,
  answersTo,
  type LocalPlatform,
  neverAnswers,
  resets,
} from './local-platform.ts';

const answersSession = answers(200, SESSION);

let platform: LocalPlatform;

beforeEach(async () => {
  platform = await startPlatform(answersSession);
});

describe('admission', () => {
  it('never has more calls in flight than there are connections, on either side and over both roots', async () => {
    platform.always(answersAfter(20, answersTo('open-game', answers(200, GAME), answersSession)));
    const { client } = buildClient(platform.origin, { limits: { connections: 3, queue: 100 } });
    const calls = Array.from({ length: 30 }, (_, index) =>
      CALLS[index % 2 ? 'game.open' : 'session.create'](client),
    );
    await Promise.all(calls);
    expect([platform.requests.length, platform.maxInFlight, platform.connections]).toEqual([30, 3, 3]);
  });

  it('rejects a call that finds the queue full, without making it', async () => {
    platform.always(answersAfter(20, answersSession));
    const { client, observer } = buildClient(platform.origin, { limits: { connections: 2, queue: 3 } });
    const calls = Array.from({ length: 10 }, () => callWithin());
    const codes = await Promise.all(calls.map((call) => codeOf(createSession(client, call))));
    expect(codes).toEqual([...Array<string>(5).fill('OK'), ...Array<string>(5).fill('OVERLOADED')]);
    expect(calls.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 1, 0, 0, 0, 0, 0]);
    expect(platform.requests).toHaveLength(5);
    expect(observer.refusals).toEqual(Array<string>(5).fill('overloaded'));
    expect(observer.waits).toBe(3);
  });

  it('serves waiting calls by deadline, sessions and games before reports', async () => {
    platform.always(
      answersAfter(20, (request, ...rest) => {
        const [, player = ''] = /users\/([^/]+)\/session/.exec(request.url.pathname) ?? [];
        return answers(200, player === '' ? AD_HOC_REPORT : sessionOf(player))(request, ...rest);
      }),
    );
    const { client } = buildClient(platform.origin, { limits: { connections: 1 } });
    const order: string[] = [];
    const session = async (userId: string, deadlineMs: number) => {
      await client.createSession({ userId }, callWithin(deadlineMs));
      order.push(userId);
    };
    const report = async () => {
      await CALLS['report.ad-hoc.fetch'](client, callWithin(60_000));
      order.push('report');
    };
    await Promise.all([
      session('first', 100_000),
      report(),
      session('late', 100_000),
      session('early', 80_000),
    ]);
    expect(order).toEqual(['first', 'early', 'late', 'report']);
  });

  it('has a connection for sessions although reports are stuck', async () => {
    platform.always(answersTo('reports', neverAnswers, answersSession));
    const { client } = buildClient(platform.origin, { limits: { connections: 4 } });
    const reports = Array.from({ length: 10 }, () => failureOf(CALLS['report.ad-hoc.fetch'](client)));
    for (let i = 0; i < 20; i += 1) await createSession(client);
    await client.close();
    await Promise.all(reports);
  });
});

describe('keep-alive', () => {
  it('uses one connection for consecutive calls, after errors too, since their bodies are read', async () => {
    platform.next(answersSession).always(answers(422, errors(422, { detail: 'x'.repeat(10_000) })));
    const { client } = buildClient(platform.origin);
    for (let i = 0; i < 10; i += 1) await codeOf(createSession(client));
    expect(platform.connections).toBe(1);
  });

  it('is not trusted: if a server closes an idle connection after a request, the outcome is unknown', async () => {
    platform.next(answersSession, resets, answersSession);
    const { client, observer } = buildClient(platform.origin);
    await createSession(client);
    await createSession(client);
    expect(observer.results).toEqual(['2xx', 'reset', '2xx']);
    expect(platform.requests).toHaveLength(3);
  });

  it('opens a new connection if the server closed the idle one', async () => {
    platform.always(answersAfter(0, answers(200, SESSION, { connection: 'close' })));
    const { client, observer } = buildClient(platform.origin);
    for (let i = 0; i < 5; i += 1) await createSession(client);
    expect(observer.results).toEqual(['2xx', '2xx', '2xx', '2xx', '2xx']);
    expect(platform.connections).toBe(5);
  });

  it('lasts seconds, however long the server offers: an older connection may be closing at that moment', async () => {
    platform.always(answers(200, SESSION, { 'keep-alive': 'timeout=600' }));
    const { client } = buildClient(platform.origin);
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
    const options = { limits: { attemptTimeoutMs: 20_000, connections: 64 }, transport: { names } };
    const dead = buildClient('http://dead.example', options).client;
    const healthy = buildClient(platform.origin.replace('127.0.0.1', 'localhost'), options).client;
    const codes = (client: typeof dead, ms: number) =>
      Promise.all(Array.from({ length: CALLS_OF_EACH }, () => codeOf(createSession(client, callWithin(ms)))));
    const lost = codes(dead, 1_000);
    expect(new Set(await codes(healthy, 20_000))).toEqual(new Set(['OK']));
    expect(new Set(await lost)).toEqual(new Set(['COMMAND_EXPIRED']));
  });
});
