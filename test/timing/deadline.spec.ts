import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Options } from 'amqplib';

import { PAGED_REPORT, silentAtPageThree, startExpiringService } from '../support/expiring-service.ts';
import { dripping, healthy, silent } from '../support/platform-answers.ts';
import { ServiceUnderTest } from '../support/service-under-test.ts';

/** How late an answer may be. Source: bus contract, section 5. */
const TOLERANCE_MS = 1_000;
const BUDGET_MS = 900;

/** The content of these answers is tested by test/e2e/failures/deadline.slow.spec.ts. */
describe('the answer to a command that expires', () => {
  let service: ServiceUnderTest;
  beforeAll(async () => {
    service = await startExpiringService(BUDGET_MS);
    // What runs for the first time has not been compiled yet.
    await lateMs(Date.now() + BUDGET_MS);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const lateMs = async (
    deadlineAtMs: number,
    options: Options.Publish = {},
    type = 'session.create',
  ): Promise<number> => {
    const data = type === 'session.create' ? { userId: 'p-1' } : PAGED_REPORT;
    const replies = await service.caller.send(type, data, options);
    const nowMs = Date.now();
    expect(replies.at(-1)?.body).toMatchObject({ code: 'COMMAND_EXPIRED' });
    return nowMs - deadlineAtMs;
  };
  const until = (deadlineAtMs: number): Options.Publish => ({ headers: { 'x-deadline': deadlineAtMs } });
  const expectInTime = (ms: number): void => {
    expect(ms).toBeGreaterThanOrEqual(0);
    expect(ms).toBeLessThanOrEqual(TOLERANCE_MS);
  };

  it.each([
    ['the platform never answers', silent, 'session.create'],
    ['the answer drips', dripping, 'session.create'],
    ['a page of a report never comes', silentAtPageThree, 'report.rake.fetch'],
  ])('is at most a second late if %s', async (_, behaviour, type) => {
    service.platform.behaviour = behaviour;
    const deadlineAtMs = Date.now() + BUDGET_MS;
    expectInTime(await lateMs(deadlineAtMs, until(deadlineAtMs), type));
  });

  it("is at most a second late by the lane's own budget", async () => {
    service.platform.behaviour = silent;
    expectInTime(await lateMs(Date.now() + BUDGET_MS));
  });

  it('is at most a second late if the deadline has passed before it is read', async () => {
    const deadlineAtMs = Date.now();
    expectInTime(await lateMs(deadlineAtMs, until(deadlineAtMs)));
  });

  it('is at most a second late for sixty-four at once', async () => {
    service.platform.behaviour = silent;
    const deadlineAtMs = Date.now() + BUDGET_MS;
    const all = Array.from({ length: 64 }, () => lateMs(deadlineAtMs, until(deadlineAtMs)));
    for (const ms of await Promise.all(all)) expectInTime(ms);
  });

  it('is at most a second late if others wait for the only connection', async () => {
    await using narrow = await ServiceUnderTest.start({
      behaviour: silent,
      variables: { PLATFORM_CONNECTIONS: '1', PLATFORM_QUEUE: '1' },
    });
    await narrow.worker();
    const deadlineAtMs = Date.now() + BUDGET_MS;
    const send = (userId: string) =>
      narrow.caller.send('session.create', { userId }, until(deadlineAtMs)).then(() => Date.now());
    for (const atMs of await Promise.all([send('first'), send('second')])) expectInTime(atMs - deadlineAtMs);
  });
});

describe('a reply that its queue refuses', () => {
  it('is parked at most a second after the deadline', async () => {
    await using service = await ServiceUnderTest.start({ behaviour: healthy() });
    await service.worker();
    const { caller } = service;
    const full = await caller.boundedQueue(1);
    caller.channel.sendToQueue(full, Buffer.from('in the way'));
    const kept = Promise.withResolvers<number>();
    await caller.channel.consume(service.name('replies.undelivered'), () => kept.resolve(Date.now()), {
      noAck: true,
    });
    const deadlineAtMs = Date.now() + BUDGET_MS;
    caller.publish(
      'session.create',
      { userId: 'p-1' },
      { replyTo: full, headers: { 'x-deadline': deadlineAtMs } },
    );
    const lateMs = (await kept.promise) - deadlineAtMs;
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThanOrEqual(TOLERANCE_MS);
  });
});
