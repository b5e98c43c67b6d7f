import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Options } from 'amqplib';

import { runCli } from '../e2e/cli/run-cli.ts';
import { openConnection, testBrokerUrl, uniquePrefix } from '../support/broker.ts';
import { PAGED_REPORT, silentAtPageThree, startExpiringService } from '../support/expiring-service.ts';
import { dripping, healthy, silent } from '../support/platform-answers.ts';
import { ServiceUnderTest } from '../support/service-under-test.ts';
import { until } from '../support/until.ts';
import type { WorkerProcess } from '../../scripts/processes/worker-process.ts';

describe('deadline', () => {
  /** How late an answer may be. Source: bus contract, section 5. */
  const TOLERANCE_MS = 1_000;
  const BUDGET_MS = 900;

  /** The content of these answers is tested by same-command.spec.ts and outcomes.spec.ts of test/e2e/failures. */
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
    const due = (deadlineAtMs: number): Options.Publish => ({ headers: { 'x-deadline': deadlineAtMs } });
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
      expectInTime(await lateMs(deadlineAtMs, due(deadlineAtMs), type));
    });

    it("is at most a second late by the lane's own budget", async () => {
      service.platform.behaviour = silent;
      expectInTime(await lateMs(Date.now() + BUDGET_MS));
    });

    it('is at most a second late if the deadline has passed before it is read', async () => {
      const deadlineAtMs = Date.now();
      expectInTime(await lateMs(deadlineAtMs, due(deadlineAtMs)));
    });

    it('is at most a second late for sixty-four at once', async () => {
      service.platform.behaviour = silent;
      const deadlineAtMs = Date.now() + BUDGET_MS;
      const all = Array.from({ length: 64 }, () => lateMs(deadlineAtMs, due(deadlineAtMs)));
      for (const ms of await Promise.all(all)) expectInTime(ms);
    });

    it('is at most a second late if others wait for the only connection, whose queue refuses a third', async () => {
      await using narrow = await ServiceUnderTest.start({
        behaviour: silent,
        variables: { PLATFORM_CONNECTIONS: '1', PLATFORM_QUEUE: '1' },
      });
      await narrow.worker();
      const deadlineAtMs = Date.now() + BUDGET_MS;
      const send = (userId: string) =>
        narrow.caller.send('session.create', { userId }, due(deadlineAtMs)).then(() => Date.now());
      const both = [send('first'), send('second')];
      await until('both wait', async () => (await narrow.running.metric('poker_commands_in_flight')) === 2);
      const third = narrow.caller.sendForOne('session.create', { userId: 'third' }, due(deadlineAtMs));
      expect((await third).body).toMatchObject({ code: 'OVERLOADED', attempts: 0 });
      for (const atMs of await Promise.all(both)) expectInTime(atMs - deadlineAtMs);
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
});

describe('stop', () => {
  /** For closing what is left when nothing is in flight any more. */
  const CLOSING_MS = 2_500;
  /** Each close has its own timeout: of the consumers, of their channels, of both connections. */
  const CLOSING_IN_VAIN_MS = 12_000;

  /** That it stops, and what happens to the commands in flight, is tested by test/e2e/lifecycle. */
  describe('a worker that is stopped', () => {
    let service: ServiceUnderTest;

    beforeEach(async () => {
      service = await ServiceUnderTest.start({ behaviour: silent });
    });

    afterEach(() => service[Symbol.asyncDispose]());

    /** From the signal to the end of the process. */
    const stopMs = async (worker: WorkerProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<number> => {
      const toldAtMs = performance.now();
      worker.kill(signal);
      await worker.ended();
      return performance.now() - toldAtMs;
    };
    const holdsOne = async (): Promise<void> => {
      service.caller.publish('session.create', { userId: 'p-1' });
      await until('it is in flight', () => service.platform.requests.length === 1);
    };

    it('exits at once if nothing is in flight', async () => {
      expect(await stopMs(await service.worker())).toBeLessThan(CLOSING_MS);
    });

    it('exits soon after the grace', async () => {
      const worker = await service.worker({ SHUTDOWN_GRACE_MS: '3000' });
      await holdsOne();
      expect(await stopMs(worker)).toBeLessThan(3_000 + CLOSING_MS);
    });

    it('exits soon after the grace if the broker is gone', async () => {
      const worker = await service.worker({ SHUTDOWN_GRACE_MS: '1000' });
      await holdsOne();
      service.proxy.refuse();
      service.proxy.cut();
      expect(await stopMs(worker)).toBeLessThan(1_000 + CLOSING_MS);
      await service.proxy.open();
    });

    it('exits some time after the grace if the broker no longer answers', async () => {
      const worker = await service.worker({ SHUTDOWN_GRACE_MS: '500' });
      service.proxy.stall();
      expect(await stopMs(worker)).toBeLessThan(500 + CLOSING_IN_VAIN_MS);
      service.proxy.resume();
    });

    it('exits within a second of a second signal', async () => {
      const worker = await service.worker();
      await holdsOne();
      worker.kill('SIGTERM');
      await until('it stops', async () => (await worker.get('/health/ready')).status === 503);
      expect(await stopMs(worker)).toBeLessThan(1_000);
    });

    it.each([
      ['is away', () => service.proxy.refuse()],
      ['accepts and says nothing', () => service.proxy.stall()],
    ])('exits at once while its first broker %s', async (_, hinder) => {
      hinder();
      const worker = service.start();
      await worker.url();
      expect(await stopMs(worker)).toBeLessThan(4_000);
      service.proxy.resume();
      if (!service.proxy.isOpen) await service.proxy.open();
    });
  });
});

describe('no answer', () => {
  const DEADLINE_MS = 200;
  /** For starting Node.js, and waiting for an answer in flight. */
  const BESIDE_MS = 4_000;

  it('poker-bridge send ends soon after its deadline if nobody answers', async () => {
    const prefix = uniquePrefix();
    await using broker = await openConnection();
    const { queue } = await broker.channel.assertQueue(`${prefix}.interactive`, { exclusive: true });
    await broker.channel.assertExchange(`${prefix}.commands`, 'direct', { autoDelete: true });
    await broker.channel.bindQueue(queue, `${prefix}.commands`, 'session.create');
    const args = [
      'send',
      'session.create',
      '--data',
      '{"userId":"u-1"}',
      '--deadline-ms',
      String(DEADLINE_MS),
    ];
    const startedAtMs = performance.now();
    const { code } = await runCli(args, { variables: { AMQP_URL: testBrokerUrl(), AMQP_PREFIX: prefix } });
    expect(code).toBe(3);
    expect(performance.now() - startedAtMs).toBeLessThan(DEADLINE_MS + BESIDE_MS);
  });
});

describe('parked replies', () => {
  /** A look at what is parked falls into it: they are three seconds apart. */
  const STALL_MS = 4_000;
  /** Until the next look, and for it. */
  const ARRIVES_WITHIN_MS = 5_000;

  it('a broker that was slow for a moment does not delay parked replies beyond the next look', async () => {
    await using service = await ServiceUnderTest.start({ behaviour: healthy(1) });
    await service.worker();
    const { channel } = service.caller;
    const replyTo = `${uniquePrefix()}-replies`;
    const parked = service.name('replies.undelivered');
    const depth = async (queue: string): Promise<number> => (await channel.checkQueue(queue)).messageCount;

    service.caller.publish('session.create', { userId: 'p-1' }, { messageId: 'id', replyTo });
    await until('it is parked', async () => (await depth(parked)) === 1);
    service.proxy.stall();
    await sleep(STALL_MS);
    await channel.assertQueue(replyTo, { durable: true });
    service.proxy.resume();
    const startedAtMs = performance.now();
    await until('it arrives', async () => (await depth(replyTo)) === 1);
    expect(performance.now() - startedAtMs).toBeLessThan(ARRIVES_WITHIN_MS);
    await channel.deleteQueue(replyTo);
  });
});
