import { describe, expect, it } from '@jest/globals';

import {
  buildClient,
  callWithin,
  CALLS,
  elapsedMs,
  failureOf,
  startPlatform,
} from '../integration/platform/client.fixture.ts';
import { SESSION } from '../integration/platform/documents.ts';
import { answers, neverAnswers } from '../integration/platform/local-platform.ts';

/** The results of the calls are tested by test/integration/platform. */
describe('a call', () => {
  it('waits as long as Retry-After asks, and hardly longer', async () => {
    const platform = await startPlatform();
    platform.next(answers(429, '', { 'retry-after': '1' }), answers(200, SESSION));
    const { client } = buildClient(platform.origin);
    const took = await elapsedMs(CALLS['session.create'](client, callWithin()));
    expect(took).toBeGreaterThan(990);
    expect(took).toBeLessThan(2_000);
  });

  it('is given up at once when Retry-After passes its deadline', async () => {
    const platform = await startPlatform(answers(429, '', { 'retry-after': '10' }));
    const { client } = buildClient(platform.origin);
    expect(await elapsedMs(CALLS['session.create'](client, callWithin(5_000)))).toBeLessThan(1_000);
  });

  it('of a player is as fast while reports are stuck', async () => {
    const platform = await startPlatform((exchange) =>
      (exchange.request.target.includes('reports') ? neverAnswers : answers(200, SESSION))(exchange),
    );
    const { client } = buildClient(platform.origin, { limits: { connections: 4 } });
    const reports = Array.from({ length: 10 }, () =>
      failureOf(CALLS['report.ad-hoc.fetch'](client, callWithin())),
    );
    const startedAtMs = performance.now();
    for (let i = 0; i < 20; i += 1) await CALLS['session.create'](client, callWithin());
    expect(performance.now() - startedAtMs).toBeLessThan(2_000);
    await client.close();
    await Promise.all(reports);
  });
});
