import { lookup } from 'node:dns';

import { beforeEach, describe, expect, it } from '@jest/globals';

import { type Ask, Names } from '#platform';

import { until } from '../../support/until.ts';
import { buildClient, CALLS, callWithin, failureOf, startPlatform } from './client.fixture.ts';
import { AD_HOC_REPORT, errors, GAME, SESSION, sessionOf } from './documents.ts';
import { answers, answersAfter, type LocalPlatform, neverAnswers, resets } from './local-platform.ts';

describe('admission', () => {
  let platform: LocalPlatform;

  beforeEach(async () => {
    platform = await startPlatform(answersAfter(20, answers(200, SESSION)));
  });

  describe('admission', () => {
    it('never has more calls in flight than there are connections, on either side', async () => {
      const { client } = buildClient(platform.origin, { limits: { connections: 3, queue: 100 } });
      await Promise.all(Array.from({ length: 30 }, () => CALLS['session.create'](client, callWithin())));
      expect([platform.received.length, platform.maxInFlight, platform.connections]).toEqual([30, 3, 3]);
    });

    it('shares the connections of both roots', async () => {
      platform.always(
        answersAfter(20, ({ request, response, socket }) => {
          const document = request.target.includes('open-game') ? GAME : SESSION;
          return answers(200, document)({ request, response, socket });
        }),
      );
      const { client } = buildClient(platform.origin, { limits: { connections: 2 } });
      const calls = Array.from({ length: 10 }, (_, index) =>
        CALLS[index % 2 ? 'game.open' : 'session.create'](client, callWithin()),
      );
      await Promise.all(calls);
      expect([platform.maxInFlight, platform.connections]).toEqual([2, 2]);
    });

    it('rejects a call that finds the queue full, without making it', async () => {
      const { client, observer } = buildClient(platform.origin, { limits: { connections: 2, queue: 3 } });
      const calls = Array.from({ length: 10 }, () => callWithin());
      const ends = await Promise.allSettled(calls.map((call) => CALLS['session.create'](client, call)));
      const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason.code] : []));
      expect(reasons).toEqual(Array.from({ length: 5 }, () => 'OVERLOADED'));
      expect(calls.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 1, 0, 0, 0, 0, 0]);
      expect(platform.received).toHaveLength(5);
      expect(observer.refusals).toEqual(Array.from({ length: 5 }, () => 'overloaded'));
      expect(observer.waits).toBe(3);
    });
  });

  describe('a waiting call', () => {
    it('is served by deadline, sessions and games before reports', async () => {
      platform.always(
        answersAfter(20, ({ request, response, socket }) => {
          const [, player = ''] = /users\/([^/]+)\/session/.exec(request.target) ?? [];
          const document = request.target.includes('reports') ? AD_HOC_REPORT : sessionOf(player);
          return answers(200, document)({ request, response, socket });
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

    it('finds a connection although reports are stuck', async () => {
      platform.always(({ request, response, socket }) =>
        request.target.includes('reports')
          ? neverAnswers({ request, response, socket })
          : answers(200, SESSION)({ request, response, socket }),
      );
      const { client } = buildClient(platform.origin, { limits: { connections: 4 } });
      const reports = Array.from({ length: 10 }, () =>
        failureOf(CALLS['report.ad-hoc.fetch'](client, callWithin())),
      );
      for (let i = 0; i < 20; i += 1) await CALLS['session.create'](client, callWithin());
      await client.close();
      await Promise.all(reports);
    });
  });
});

describe('keep alive', () => {
  let platform: LocalPlatform;

  beforeEach(async () => {
    platform = await startPlatform();
  });

  describe('keep-alive', () => {
    it('uses one connection for consecutive calls', async () => {
      platform.always(answers(200, SESSION));
      const { client } = buildClient(platform.origin);
      for (let i = 0; i < 10; i += 1) await CALLS['session.create'](client, callWithin());
      expect(platform.connections).toBe(1);
    });

    it('is used after errors too, since their bodies are read', async () => {
      platform.always(answers(422, errors(422, { detail: 'x'.repeat(10_000) })));
      const { client } = buildClient(platform.origin);
      for (let i = 0; i < 10; i += 1) await failureOf(CALLS['session.create'](client, callWithin()));
      expect(platform.connections).toBe(1);
    });

    it('is not trusted: if a server closes an idle connection after a request, the outcome is unknown', async () => {
      platform.next(answers(200, SESSION), resets, answers(200, SESSION));
      const { client, observer } = buildClient(platform.origin);
      await CALLS['session.create'](client, callWithin());
      await CALLS['session.create'](client, callWithin());
      expect(observer.results).toEqual(['2xx', 'reset', '2xx']);
      expect(platform.received).toHaveLength(3);
    });

    it('opens a new connection if the server closed the idle one', async () => {
      platform.always(answersAfter(0, answers(200, SESSION, { connection: 'close' })));
      const { client, observer } = buildClient(platform.origin);
      for (let i = 0; i < 5; i += 1) await CALLS['session.create'](client, callWithin());
      expect(observer.results).toEqual(['2xx', '2xx', '2xx', '2xx', '2xx']);
      expect(platform.connections).toBe(5);
    });

    it('lasts seconds, however long the server offers: an older connection may be closing at that moment', async () => {
      platform.always(answers(200, SESSION, { 'keep-alive': 'timeout=600' }));
      const { client } = buildClient(platform.origin);
      await CALLS['session.create'](client, callWithin());
      expect(platform.openSockets).toBe(1);
      await until('the idle connection is closed', () => platform.openSockets === 0);
      await CALLS['session.create'](client, callWithin());
      expect(platform.connections).toBe(2);
    });
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
    const platform = await startPlatform(answers(200, SESSION));
    const names = new Names(systemWithDead('dead.example'));
    const limits = { attemptTimeoutMs: 20_000, connections: 64 };
    const dead = buildClient('http://dead.example', { limits, transport: { names } }).client;
    const { port } = new URL(platform.origin);
    const healthy = buildClient(`http://localhost:${port}`, { limits, transport: { names } }).client;
    const lost = Array.from({ length: CALLS_OF_EACH }, () =>
      failureOf(CALLS['session.create'](dead, callWithin(1_000))),
    );
    const served = await Promise.all(
      Array.from({ length: CALLS_OF_EACH }, () => CALLS['session.create'](healthy, callWithin(20_000))),
    );
    expect(served).toHaveLength(CALLS_OF_EACH);
    expect(new Set((await Promise.all(lost)).map(({ code }) => code))).toEqual(new Set(['COMMAND_EXPIRED']));
  });
});
