import { beforeEach, describe, expect, it } from '@jest/globals';

import { buildClient, callWithin, CALLS, failureOf, startPlatform } from './client.fixture.ts';
import { AD_HOC_REPORT, GAME, SESSION, sessionOf } from './documents.ts';
import { answers, answersAfter, type LocalPlatform, neverAnswers } from './local-platform.ts';

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
