import { beforeEach, describe, expect, it } from '@jest/globals';

import { buildClient, callWithin, CALLS, failureOf, startPlatform } from './client.fixture.ts';
import { AD_HOC_REPORT, GAME, SESSION } from './documents.ts';
import { answers, answersAfter, type LocalPlatform, neverAnswers } from './local-platform.ts';

let platform: LocalPlatform;

beforeEach(async () => {
  platform = await startPlatform(answersAfter(20, answers(200, SESSION)));
});

describe('calls in flight', () => {
  it('are never more than there are connections, on either side', async () => {
    const { client } = buildClient(platform.origin, { limits: { connections: 3, queue: 100 } });
    await Promise.all(Array.from({ length: 30 }, () => CALLS['session.create'](client, callWithin())));
    expect([platform.received.length, platform.maxInFlight, platform.connections]).toEqual([30, 3, 3]);
  });

  it('share the connections of both roots', async () => {
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

  it('are refused without a request if the queue is full', async () => {
    const { client } = buildClient(platform.origin, { limits: { connections: 2, queue: 3 } });
    const calls = Array.from({ length: 10 }, () => callWithin());
    const ends = await Promise.allSettled(calls.map((call) => CALLS['session.create'](client, call)));
    const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason.code] : []));
    expect(reasons).toEqual(Array.from({ length: 5 }, () => 'OVERLOADED'));
    expect(calls.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 1, 0, 0, 0, 0, 0]);
    expect(platform.received).toHaveLength(5);
  });
});

describe('waiting calls', () => {
  it('are served by deadline, sessions and games before reports', async () => {
    platform.always(
      answersAfter(20, ({ request, response, socket }) => {
        const document = request.target.includes('reports') ? AD_HOC_REPORT : SESSION;
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

  it('find a connection even if reports are stuck', async () => {
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
