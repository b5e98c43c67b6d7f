import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, describe, expect, it } from '@jest/globals';

import { Gate, healthy, unavailable } from '../../support/platform-answers.ts';
import type { PlatformBehaviour } from '../../support/platform-stub.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

const PERIOD = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00', perPage: 1 };
const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
/** Long enough for a busy machine to see what waits there. */
const DELAY_MS = 1_000;

/** Fails the first request for a page. */
function failingOnce(page: number): PlatformBehaviour {
  let hasFailed = false;
  return (request, ...rest) => {
    const isHit = !hasFailed && request.url.searchParams.get('page') === String(page);
    hasFailed ||= isHit;
    return (isHit ? unavailable : healthy(4))(request, ...rest);
  };
}

describe('a report that the platform cannot serve now', () => {
  const service = serviceForAll({
    behaviour: healthy(),
    variables: {
      REPORTS_RETRY_DELAYS_MS: String(DELAY_MS),
      PLATFORM_MAX_ATTEMPTS: '1',
      CIRCUIT_MINIMUM_CALLS: '1000',
    },
    workers: 1,
  });
  const askedAtMs: number[] = [];

  afterEach(() => {
    service.platform.requests.length = 0;
    askedAtMs.length = 0;
  });

  const behave = (behaviour: PlatformBehaviour): void => {
    service.platform.behaviour = (request, response, socket) => {
      askedAtMs.push(Date.now());
      return behaviour(request, response, socket);
    };
  };
  const pagesAsked = () => service.platform.requests.map(({ url }) => Number(url.searchParams.get('page')));

  it('waits in a retry queue and continues after the published pages', async () => {
    behave(failingOnce(3));
    const report = service.caller.send('report.ad-hoc.fetch', PERIOD, {
      messageId: 'paged',
      headers: { traceparent: TRACE },
    });
    await until('it waits in the first one', async () => (await service.depth('reports.retry.1000')) === 1);
    const replies = await report;

    expect(pagesAsked()).toEqual([1, 2, 3, 3, 4]);
    expect((askedAtMs[3] ?? 0) - (askedAtMs[2] ?? 0)).toBeGreaterThanOrEqual(DELAY_MS);
    expect(
      replies.map(({ messageId, headers, body }) => [messageId, headers['sequence'], body['page']]),
    ).toEqual([
      ['paged:0', 0, 1],
      ['paged:1', 1, 2],
      ['paged:2', 2, 3],
      ['paged:3', 3, 4],
      ['paged:4', 4, undefined],
    ]);
    expect(replies.at(-1)?.body).toMatchObject({ pages: 4, records: 4, totalCount: 4, missing: 0 });
    expect(replies.every(({ headers }) => headers['traceparent'] === TRACE)).toBe(true);
    expect(await service.depth('dead-letters')).toBe(0);
  });

  it('is postponed once the broker accepts copies again, and is not run again meanwhile', async () => {
    const gate = new Gate();
    behave(gate.behind(failingOnce(1)));
    const report = service.caller.send('report.rake.fetch', PERIOD);
    await until('it is in flight', () => gate.held === 1);
    service.proxy.refuse();
    // The one that publishes is opened first.
    service.proxy.cut(0);
    await until('it is away', async () => (await service.running.get('/health/ready')).status === 503);
    gate.open();
    await sleep(500);
    expect(askedAtMs).toHaveLength(1);
    await service.proxy.open();
    expect((await report).at(-1)?.type).toBe('report.completed');
    expect(service.running.stdout).not.toContain(service.name('quarantine'));
  });
});
