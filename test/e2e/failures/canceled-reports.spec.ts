import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { type Caller, createCaller } from '#caller';

import { healthy, PAGED_DAY, silent, unavailable } from '../../support/platform-answers.ts';
import type { PlatformBehaviour } from '../../support/platform-stub.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

const STALL_MS = 1_500;

/** The data of a report; each one has pages of another size, by which the requests for it are counted. */
type Report = typeof PAGED_DAY;

const slow: PlatformBehaviour = async (...call) => {
  await sleep(50);
  return healthy(2_000)(...call);
};

describe('a report whose caller deletes the reply queue', () => {
  const waits = { REPORTS_STALL_MS: String(STALL_MS), REPORTS_RETRY_DELAYS_MS: '1000' };
  const variables = { ...waits, PLATFORM_MAX_ATTEMPTS: '1' };
  const service = serviceForAll({ behaviour: slow, variables, workers: 1 });

  const canceled = () => service.running.metric('poker_reports_canceled_total');
  const requests = ({ perPage }: Report): number => {
    const isOfReport = (url: URL) => url.searchParams.get('per-page') === String(perPage);
    return service.platform.requests.filter(({ url }) => isOfReport(url)).length;
  };
  const queueOf = async (options: object): Promise<string> =>
    (await service.caller.channel.assertQueue(randomUUID(), options)).queue;
  /** The canceled reports, with the number of requests until then. */
  const ended: { readonly report: Report; readonly asked: number }[] = [];
  const nextReport = () => ({ ...PAGED_DAY, perPage: ended.length + 1 });

  /** Waits until a report is canceled. The last test checks that it has ended. */
  async function expectCanceled(report: Report, before: number): Promise<void> {
    await until('it is canceled', async () => (await canceled()) === before + 1);
    ended.push({ report, asked: requests(report) });
  }

  const FULL = { arguments: { 'x-max-length': 1, 'x-overflow': 'reject-publish' } };
  it.each<[string, object, PlatformBehaviour, (report: Report) => Promise<boolean> | boolean]>([
    ['while it runs', {}, slow, (report) => requests(report) > 3],
    ['while a call has no answer', {}, silent, (report) => requests(report) > 0],
    ['in a retry queue', {}, unavailable, async () => (await service.depth('reports.retry.1000')) > 0],
    ['while its queue is full', FULL, slow, async () => (await service.depth('reports.retry.1000')) > 0],
    ['that only its connection sees', { exclusive: true }, slow, (report) => requests(report) > 3],
  ])('is canceled %s', async (_, options, behaviour, isReached) => {
    const before = await canceled();
    const report = nextReport();
    service.platform.behaviour = behaviour;
    const replyTo = await queueOf(options);
    const headers = { 'x-cancel-with-queue': true };
    service.caller.publish('report.rake.fetch', report, { replyTo, headers });
    await until('it is reached', () => isReached(report));
    await service.caller.channel.deleteQueue(replyTo);
    await expectCanceled(report, before);
  });

  it.each<[string, (caller: Caller, controller: AbortController) => unknown]>([
    ['leaves its loop', () => undefined],
    ['aborts its signal', (_, controller) => controller.abort()],
    ['is closed', (caller) => caller.close()],
  ])('is canceled when the caller %s', async (_, leave) => {
    const before = await canceled();
    const report = nextReport();
    service.platform.behaviour = slow;
    await using caller = createCaller({ url: service.url, prefix: service.prefix, name: randomUUID() });
    const controller = new AbortController();
    const { signal } = controller;
    for await (const { page } of caller.fetchRakeReport(report, { signal })) {
      if (page < 3) continue;
      await leave(caller, controller);
      if (signal.aborted) await expectCanceled(report, before);
      break;
    }
    if (!signal.aborted) await expectCanceled(report, before);
    expect(await canceled()).toBe(before + 1);
  });

  it('ends without further requests, a reply or a failure', async () => {
    await sleep(2 * STALL_MS);
    expect(ended.map(({ report }) => requests(report))).toEqual(ended.map(({ asked }) => asked));
    expect(await canceled()).toBe(ended.length);
    expect(await service.depth('replies.undelivered')).toBe(0);
    const { body } = await service.running.get('/metrics');
    expect(body).not.toMatch(/^poker_commands(_failed)?_total\{[^}]*report[^}]*\} [1-9]/m);
    await service.idle();
  });
});
