import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { type Caller, createCaller } from '#caller';

import { healthy, PAGED_DAY, silent, unavailable } from '../../support/platform-answers.ts';
import type { PlatformBehaviour } from '../../support/platform-stub.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

const STALL_MS = 1_500;

const slow: PlatformBehaviour = async (...call) => {
  await sleep(50);
  return healthy(2_000)(...call);
};

describe('a report whose caller deletes the reply queue', () => {
  const waits = { REPORTS_STALL_MS: String(STALL_MS), REPORTS_RETRY_DELAYS_MS: '1000' };
  const variables = { ...waits, PLATFORM_MAX_ATTEMPTS: '1' };
  const service = serviceForAll({ behaviour: slow, variables, workers: 1 });

  const canceled = () => service.running.metric('poker_reports_canceled_total');
  const requests = () => service.platform.requests.length;
  const queueOf = async (options: object): Promise<string> =>
    (await service.caller.channel.assertQueue(randomUUID(), options)).queue;

  async function expectEnd(before: number): Promise<void> {
    await until('it is canceled', async () => (await canceled()) === before + 1);
    const asked = requests();
    await sleep(2 * STALL_MS);
    expect(requests()).toBe(asked);
    expect(await service.depth('replies.undelivered')).toBe(0);
    const { body } = await service.running.get('/metrics');
    expect(body).not.toMatch(/^poker_commands(_failed)?_total\{[^}]*report[^}]*\} [1-9]/m);
    await service.idle();
  }

  const FULL = { arguments: { 'x-max-length': 1, 'x-overflow': 'reject-publish' } };
  it.each<[string, object, PlatformBehaviour, () => Promise<boolean> | boolean]>([
    ['while it runs', {}, slow, () => requests() > 3],
    ['while a call has no answer', {}, silent, () => requests() > 0],
    ['in a retry queue', {}, unavailable, async () => (await service.depth('reports.retry.1000')) > 0],
    ['while its queue is full', FULL, slow, async () => (await service.depth('reports.retry.1000')) > 0],
    ['that only its connection sees', { exclusive: true }, slow, () => requests() > 3],
  ])('ends without a reply or a failure: %s', async (_, options, behaviour, isReached) => {
    const before = await canceled();
    service.platform.requests.length = 0;
    service.platform.behaviour = behaviour;
    const replyTo = await queueOf(options);
    const headers = { 'x-cancel-with-queue': true };
    service.caller.publish('report.rake.fetch', PAGED_DAY, { replyTo, headers });
    await until('it is reached', isReached);
    await service.caller.channel.deleteQueue(replyTo);
    await expectEnd(before);
  });

  it.each<[string, (caller: Caller, controller: AbortController) => unknown]>([
    ['leaves its loop', () => undefined],
    ['aborts its signal', (_, controller) => controller.abort()],
    ['is closed', (caller) => caller.close()],
  ])('ends when the caller %s', async (_, leave) => {
    const before = await canceled();
    service.platform.behaviour = slow;
    await using caller = createCaller({ url: service.url, prefix: service.prefix, name: randomUUID() });
    const controller = new AbortController();
    const { signal } = controller;
    for await (const { page } of caller.fetchRakeReport({ ...PAGED_DAY, perPage: 2 }, { signal })) {
      if (page < 3) continue;
      await leave(caller, controller);
      if (signal.aborted) await expectEnd(before);
      break;
    }
    await expectEnd(before);
  });
});
