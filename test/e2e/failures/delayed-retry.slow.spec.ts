import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, describe, expect, it } from '@jest/globals';

import { Gate, healthy } from '../../support/platform-answers.ts';
import { answerJson, type PlatformBehaviour } from '../../support/platform-stub.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

const PERIOD = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00', perPage: 1 };
const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
/** Long enough for a busy machine to see what waits there. */
const DELAYS_MS = [1_000, 2_000, 4_000] as const;

/** Fails the first `times` requests that `isHit` names. */
function failing(
  times: number,
  status: number,
  isHit: (url: URL) => boolean = () => true,
  headers: Record<string, string> = {},
): PlatformBehaviour {
  let left = times;
  return (request, response, socket) => {
    if (left === 0 || !isHit(request.url)) return healthy(4)(request, response, socket);
    left -= 1;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    answerJson(response, status, { errors: [{ status, title: 'not now' }] });
  };
}

describe('a report that the platform cannot serve now', () => {
  const service = serviceForAll({
    behaviour: healthy(),
    variables: {
      REPORTS_RETRY_DELAYS_MS: DELAYS_MS.join(),
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
  const depth = async (queue: string) =>
    (await service.caller.channel.checkQueue(service.name(queue))).messageCount;

  it('waits in a retry queue and continues after the published pages', async () => {
    behave(failing(1, 503, (url) => url.searchParams.get('page') === '3'));
    const report = service.caller.send('report.ad-hoc.fetch', PERIOD, {
      messageId: 'paged',
      headers: { traceparent: TRACE },
    });
    await until('it waits in the first one', async () => (await depth('reports.retry.1000')) === 1);
    const replies = await report;

    expect(pagesAsked()).toEqual([1, 2, 3, 3, 4]);
    expect((askedAtMs[3] ?? 0) - (askedAtMs[2] ?? 0)).toBeGreaterThanOrEqual(DELAYS_MS[0]);
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
    expect(await depth('dead-letters')).toBe(0);
  });

  it('waits at least as long as the platform asks', async () => {
    behave(failing(1, 429, () => true, { 'retry-after': '3' }));
    const report = service.caller.send('report.rake.fetch', { ...PERIOD, page: 1 });
    await until('it waits there', async () => (await depth('reports.retry.4000')) === 1);
    expect((await report).map(({ type }) => type)).toEqual(['report.page', 'report.completed']);
    expect((askedAtMs[1] ?? 0) - (askedAtMs[0] ?? 0)).toBeGreaterThanOrEqual(DELAYS_MS[2]);
  });

  it('waits even if the retry queue was deleted', async () => {
    await service.caller.channel.deleteQueue(service.name('reports.retry.1000'));
    behave(failing(1, 503));
    const replies = await service.caller.send('report.rake.fetch', PERIOD);
    expect(replies.at(-1)?.type).toBe('report.completed');
  });

  it('is postponed once the broker accepts copies again, and is not run again meanwhile', async () => {
    const gate = new Gate();
    behave(gate.behind(failing(1, 503)));
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

  it('is answered and dead-lettered if the next delay would pass the deadline', async () => {
    behave(failing(Number.POSITIVE_INFINITY, 503));
    const deadlineAtMs = Date.now() + 2_800;
    const replies = await service.caller.send('report.ad-hoc.fetch', PERIOD, {
      messageId: 'late',
      headers: { 'x-deadline': deadlineAtMs },
    });
    expect(Date.parse(String(replies[0]?.body['occurredAt']))).toBeLessThan(deadlineAtMs);
    // The first delay was taken; the next would have been too long.
    expect(askedAtMs).toHaveLength(2);
    const body = { code: 'PLATFORM_UNAVAILABLE', retryable: true, command: { id: 'late' } };
    expect(replies).toMatchObject([{ type: 'command.failed', messageId: 'late:0', body }]);
    const [letter] = await until('it is dead-lettered', async () => {
      const letters = await service.caller.drain(service.name('dead-letters'));
      return letters.length > 0 && letters;
    });
    expect(letter?.properties).toMatchObject({
      messageId: 'late',
      type: 'report.ad-hoc.fetch',
      headers: {
        'x-reason': 'PLATFORM_UNAVAILABLE',
        'x-origin-queue': service.name('reports'),
        'x-deadline': deadlineAtMs,
      },
    });
    expect(JSON.parse(String(letter?.content))).toEqual(PERIOD);
  });
});
