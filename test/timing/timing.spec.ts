import { setTimeout as sleep } from 'node:timers/promises';

import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Options } from 'amqplib';

import { runCli } from '../e2e/cli/run-cli.ts';
import { openConnection, testBrokerUrl, uniquePrefix } from '../support/broker.ts';
import { dripping, healthy, silent } from '../support/platform-answers.ts';
import type { PlatformBehaviour } from '../support/platform-stub.ts';
import { ServiceUnderTest } from '../support/service-under-test.ts';
import { serviceForAll, serviceForEach } from '../support/suite-service.ts';
import { until } from '../support/until.ts';
import type { WorkerUnderTest } from '../support/worker-under-test.ts';

/** A report with a record a page. */
const PAGED_REPORT = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00', perPage: 1 };
const silentAtPageThree: PlatformBehaviour = (request, ...rest) =>
  (request.url.searchParams.get('page') === '3' ? silent : healthy(4))(request, ...rest);

/** How late an answer may be. Source: bus contract, section 5. */
const TOLERANCE_MS = 1_000;
const BUDGET_MS = 900;

function expectInTime(lateMs: number): void {
  expect(lateMs).toBeGreaterThanOrEqual(0);
  expect(lateMs).toBeLessThanOrEqual(TOLERANCE_MS);
}

/**
 * The content of these answers is tested by same-command.spec.ts and outcomes.spec.ts of test/e2e/failures.
 */
describe('the answer to a command that expires is at most a second late', () => {
  const service = serviceForAll({
    behaviour: silent,
    variables: { INTERACTIVE_DEADLINE_MS: String(BUDGET_MS), CIRCUIT_MINIMUM_CALLS: '1000' },
    workers: 1,
  });
  // The first run is slower because V8 has not compiled the code yet.
  beforeAll(() => lateMs(Date.now() + BUDGET_MS));

  const lateMs = async (deadlineAtMs: number, options: Options.Publish = {}, type = 'session.create') => {
    const data = type === 'session.create' ? { userId: 'p-1' } : PAGED_REPORT;
    const replies = await service.caller.send(type, data, options);
    const nowMs = Date.now();
    expect(replies.at(-1)?.body).toMatchObject({ code: 'COMMAND_EXPIRED' });
    return nowMs - deadlineAtMs;
  };
  const due = (deadlineAtMs: number): Options.Publish => ({ headers: { 'x-deadline': deadlineAtMs } });

  it.each([
    ['the platform never answers', silent, 'session.create', 1, BUDGET_MS],
    ['the answer drips', dripping, 'session.create', 1, BUDGET_MS],
    ['a page of a report never comes', silentAtPageThree, 'report.rake.fetch', 1, BUDGET_MS],
    ['the deadline has passed before it is read', silent, 'session.create', 1, 0],
    ['there are sixty-four at once', silent, 'session.create', 64, BUDGET_MS],
  ])('if %s', async (_, behaviour, type, count, budgetMs) => {
    service.platform.behaviour = behaviour;
    const deadlineAtMs = Date.now() + budgetMs;
    const all = Array.from({ length: count }, () => lateMs(deadlineAtMs, due(deadlineAtMs), type));
    for (const ms of await Promise.all(all)) expectInTime(ms);
  });

  it("by the lane's own budget", async () => {
    service.platform.behaviour = silent;
    expectInTime(await lateMs(Date.now() + BUDGET_MS));
  });

  it('if others wait for the only connection, whose queue refuses a third', async () => {
    const variables = { PLATFORM_CONNECTIONS: '1', PLATFORM_QUEUE: '1' };
    await using narrow = await ServiceUnderTest.start({ behaviour: silent, variables, workers: 1 });
    const deadlineAtMs = Date.now() + BUDGET_MS;
    const send = (userId: string) =>
      narrow.caller.send('session.create', { userId }, due(deadlineAtMs)).then(() => Date.now());
    const both = [send('first'), send('second')];
    await until('both wait', async () => (await narrow.running.metric('poker_commands_in_flight')) === 2);
    const third = narrow.caller.sendForOne('session.create', { userId: 'third' }, due(deadlineAtMs));
    expect((await third).body).toMatchObject({ code: 'OVERLOADED', attempts: 0 });
    for (const atMs of await Promise.all(both)) expectInTime(atMs - deadlineAtMs);
  });

  it('if its queue refuses it, which parks it', async () => {
    const { caller, platform } = service;
    platform.behaviour = healthy();
    const replyTo = await caller.boundedQueue(1);
    caller.channel.sendToQueue(replyTo, Buffer.from('in the way'));
    const deadlineAtMs = Date.now() + BUDGET_MS;
    caller.publish('session.create', { userId: 'p-1' }, { replyTo, ...due(deadlineAtMs) });
    await until('it is parked', async () => (await service.depth('replies.undelivered')) === 1);
    expectInTime(Date.now() - deadlineAtMs);
  });
});

/** Time to close connections after the last in-flight command. */
const CLOSING_MS = 2_500;
/** Each close has its own timeout: of the consumers, of their channels, of both connections. */
const CLOSING_IN_VAIN_MS = 12_000;

/** test/e2e/lifecycle tests the stop itself and the in-flight commands. */
describe('a worker that is stopped', () => {
  const service = serviceForEach({ behaviour: silent });

  /** From the signal to the end of the process. */
  const stopMs = async (worker: WorkerUnderTest): Promise<number> => {
    const toldAtMs = performance.now();
    worker.kill('SIGTERM');
    await worker.ended();
    return performance.now() - toldAtMs;
  };
  const holdsOne = async (): Promise<void> => {
    service.caller.publish('session.create', { userId: 'p-1' });
    await until('it is in flight', () => service.platform.requests.length === 1);
  };

  it.each<[string, number, number, (worker: WorkerUnderTest) => unknown]>([
    ['at once if nothing is in flight', 600_000, CLOSING_MS, () => undefined],
    ['soon after the grace', 3_000, 3_000 + CLOSING_MS, holdsOne],
    [
      'soon after the grace if the broker is gone',
      1_000,
      1_000 + CLOSING_MS,
      async () => {
        await holdsOne();
        service.proxy.refuse();
        service.proxy.cut();
      },
    ],
    [
      'some time after the grace if the broker no longer answers',
      500,
      500 + CLOSING_IN_VAIN_MS,
      () => service.proxy.stall(),
    ],
    [
      'within a second of a second signal',
      600_000,
      1_000,
      async (worker) => {
        await holdsOne();
        worker.kill('SIGTERM');
        await until('it stops', async () => (await worker.get('/health/ready')).status === 503);
      },
    ],
  ])('exits %s', async (_, graceMs, mostMs, before) => {
    const worker = await service.worker({ SHUTDOWN_GRACE_MS: String(graceMs) });
    await before(worker);
    expect(await stopMs(worker)).toBeLessThan(mostMs);
  });

  it.each([
    ['is away', () => service.proxy.refuse()],
    ['accepts and says nothing', () => service.proxy.stall()],
  ])('exits at once while its first broker %s', async (_, hinder) => {
    hinder();
    const worker = service.start();
    await worker.url();
    expect(await stopMs(worker)).toBeLessThan(4_000);
  });
});

it('poker-bridge send ends soon after its deadline if nobody answers', async () => {
  const prefix = uniquePrefix();
  await using broker = await openConnection();
  const { queue } = await broker.channel.assertQueue(`${prefix}.interactive`, { exclusive: true });
  await broker.channel.assertExchange(`${prefix}.commands`, 'direct', { autoDelete: true });
  await broker.channel.bindQueue(queue, `${prefix}.commands`, 'session.create');
  const args = ['send', 'session.create', '--data', '{"userId":"u-1"}', '--deadline-ms', '200'];
  const startedAtMs = performance.now();
  const { code } = await runCli(args, { variables: { AMQP_URL: testBrokerUrl(), AMQP_PREFIX: prefix } });
  expect(code).toBe(3);
  // For starting Node.js, and waiting for an answer in flight.
  expect(performance.now() - startedAtMs).toBeLessThan(4_200);
});

it('a broker that was slow for a moment does not delay parked replies beyond the next look', async () => {
  await using service = await ServiceUnderTest.start({ behaviour: healthy(1), workers: 1 });
  const { channel } = service.caller;
  const replyTo = `${uniquePrefix()}-replies`;
  service.caller.publish('session.create', { userId: 'p-1' }, { messageId: 'id', replyTo });
  await until('it is parked', async () => (await service.depth('replies.undelivered')) === 1);
  service.proxy.stall();
  // A look at what is parked falls into it: they are three seconds apart.
  await sleep(4_000);
  await channel.assertQueue(replyTo, { durable: true });
  service.proxy.resume();
  const startedAtMs = performance.now();
  await until('it arrives', async () => (await channel.checkQueue(replyTo)).messageCount === 1);
  // Until the next look, and for it.
  expect(performance.now() - startedAtMs).toBeLessThan(5_000);
  await channel.deleteQueue(replyTo);
});
