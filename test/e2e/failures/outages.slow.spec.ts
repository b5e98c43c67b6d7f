import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { type Broker, startBroker } from '../../../scripts/broker/start-broker.ts';
import type { ReceivedReply } from '../../support/bus-caller.ts';
import { createSessions, players } from '../../support/create-sessions.ts';
import { Gate, healthy, playerOf } from '../../support/platform-answers.ts';
import type { PlatformBehaviour } from '../../support/platform-stub.ts';
import { PrivateRedis } from '../../../scripts/private-redis.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { Supervisor } from '../../support/supervisor.ts';
import type { WorkerProcess } from '../../../scripts/processes/worker-process.ts';
import { until } from '../../support/until.ts';

describe('alarm', () => {
  const PREFETCH = 5;
  const GRACE_MS = 500;

  describe('a broker that blocks publishers', () => {
    let broker: Broker;
    let service: ServiceUnderTest;
    let worker: WorkerProcess;
    let gate: Gate;

    beforeAll(async () => {
      broker = await startBroker();
      service = await ServiceUnderTest.start({
        behaviour: healthy(),
        variables: { INTERACTIVE_PREFETCH: String(PREFETCH), SHUTDOWN_GRACE_MS: String(GRACE_MS) },
        url: broker.url,
      });
      worker = await service.worker();
    });

    beforeEach(() => {
      gate = new Gate();
      service.platform.behaviour = gate.behind(healthy());
      service.platform.requests.length = 0;
    });

    afterAll(async () => {
      await service[Symbol.asyncDispose]();
      await broker[Symbol.asyncDispose]();
    });

    /** The command returns before the broker's connections know of the alarm: until then they accept publishes. */
    const raiseAlarm = async () => {
      await broker.ctl('set_vm_memory_high_watermark', '0');
      await until('no connection takes anything from publishers', async () => {
        const states = (await broker.ctl('--quiet', '--no-table-headers', 'list_connections', 'state')).split(
          '\n',
        );
        return states.filter(Boolean).every((state) => state.startsWith('block'));
      });
    };
    const endAlarm = () => broker.ctl('set_vm_memory_high_watermark', '0.6');
    const lastError = async () => (await worker.health()).bus.lastError;
    /** Twice as many commands as may be in flight, and the alarm when the first half is. */
    const blockedSessions = async (name: string) => {
      const userIds = players(2 * PREFETCH, name);
      const sessions = createSessions(service, userIds);
      await until('they are in flight', () => gate.held === PREFETCH);
      await raiseAlarm();
      gate.open();
      await until('health shows it', async () => /memory|block/i.test((await lastError()) ?? ''));
      return { userIds, sessions };
    };

    it('is shown by health; commands in flight are answered afterwards, once, and so are the others', async () => {
      const { userIds, sessions } = await blockedSessions('blocked');
      expect((await worker.get('/health/live')).status).toBe(200);
      expect(service.caller.received).toEqual([]);
      expect(service.platform.requests).toHaveLength(PREFETCH);
      await endAlarm();

      const replies = await sessions;
      expect(replies.map((reply) => [reply?.type, reply?.body['userId']])).toEqual(
        userIds.map((userId) => ['session.created', userId]),
      );
      expect(service.caller.received).toHaveLength(userIds.length);
      expect(service.platform.requests).toHaveLength(userIds.length);
      await until('health is up again', async () => (await lastError()) === undefined);
      expect((await worker.get('/health/ready')).status).toBe(200);
    });

    it('does not keep a worker from stopping, and loses nothing', async () => {
      const { userIds, sessions } = await blockedSessions('stopping');
      worker.kill('SIGTERM');
      expect(await worker.ended()).toEqual({ code: 0, signal: null });
      expect(worker.stderr).toBe('');
      await endAlarm();
      worker = await service.worker();
      const replies = await sessions;
      expect(replies.map((reply) => reply?.body['userId'])).toEqual(userIds);
    });
  });
});

describe('burst after outage', () => {
  /** A third of the deadline: how long what is in flight may take until its operation counts as stuck. */
  const SLOW_MS = 5_000;
  /** More than the half that an operation that is stuck may hold. */
  const BURST = 100;
  let service: ServiceUnderTest;
  let worker: WorkerProcess;

  beforeAll(async () => {
    service = await ServiceUnderTest.start({ behaviour: healthy() });
    worker = await service.worker({
      INTERACTIVE_PREFETCH: '128',
      INTERACTIVE_DEADLINE_MS: String(3 * SLOW_MS),
    });
  });

  afterAll(() => service[Symbol.asyncDispose]());

  it('a burst after the broker was away is served, whatever was in flight meanwhile', async () => {
    const gate = new Gate();
    service.platform.behaviour = gate.behind(healthy());
    const before = createSessions(service, players(1, 'before'));
    await until('it is in flight', () => gate.held === 1);
    service.proxy.refuse();
    service.proxy.cut();
    await sleep(SLOW_MS + 500);
    await service.proxy.open();
    await worker.ready();

    const burst = createSessions(service, players(BURST, 'burst'));
    await until('all of it is in flight', async () => {
      const { bus } = await worker.health();
      return (bus.lanes['interactive']?.inFlight ?? 0) >= BURST;
    });
    gate.open();
    const codes = (await burst).map((reply) => reply?.body['code'] ?? reply?.type);
    expect(new Set(codes)).toEqual(new Set(['session.created']));
    expect((await before).map((reply) => reply?.type)).toEqual(['session.created']);
  });
});

describe('quarantine', () => {
  const HARMLESS = 60;
  const PLATFORM_MS = 1_500;
  const KILLS = 3;
  /** What players wait for: the default. */
  const DEADLINE_MS = 15_000;
  const KILLER = 'killer';

  describe.each([
    [1, 'without Redis'],
    [2, 'without Redis'],
    [1, 'with Redis'],
    [2, 'with Redis'],
  ] as const)(
    'sixty harmless commands whose workers die three times, with %i workers %s',
    (count, memory) => {
      let redis: PrivateRedis | undefined;
      let service: ServiceUnderTest;
      let supervisors: Map<string, Supervisor>;
      let startedMs: number;
      const inFlight = new Set<string>();
      const clientOf: (request: Parameters<PlatformBehaviour>[0]) => string = ({ url }) =>
        url.searchParams.get('clientId') ?? '';
      const behaviour: PlatformBehaviour = (request, ...rest) => {
        const player = playerOf(request) ?? '';
        if (player === KILLER) supervisors.get(clientOf(request))?.worker.kill('SIGKILL');
        else {
          inFlight.add(player);
          setTimeout(() => void healthy()(request, ...rest), PLATFORM_MS);
        }
      };

      beforeEach(async () => {
        if (memory === 'with Redis') redis = await PrivateRedis.start();
        service = await ServiceUnderTest.start({
          behaviour,
          variables: redis ? { REDIS_URL: redis.url } : {},
        });
        const names = Array.from({ length: count }, (_, index) => `worker-${index}`);
        supervisors = new Map(
          names.map((name) => [name, new Supervisor(() => service.start({ PLATFORM_CLIENT_ID: name }))]),
        );
        for (const { worker } of supervisors.values()) await worker.ready();
        startedMs = performance.now();
      });

      afterEach(async () => {
        for (const supervisor of supervisors.values()) supervisor.stop();
        await service[Symbol.asyncDispose]();
        await redis?.[Symbol.asyncDispose]();
        redis = undefined;
      });

      const send = async (userId: string): Promise<{ reply: ReceivedReply; tookMs: number }> => {
        const replies = service.caller.repliesTo(userId, 2 * DEADLINE_MS);
        service.caller.publish('session.create', { userId }, { messageId: userId, correlationId: userId });
        const [reply] = await replies;
        return { reply: reply!, tookMs: performance.now() - startedMs };
      };
      const sendAll = () => Array.from({ length: HARMLESS }, (_, index) => send(`harmless-${index}`));
      const expectAnswered = async (sent: ReturnType<typeof sendAll>): Promise<void> => {
        const answers = await Promise.all(sent);
        const types = answers.map(({ reply }) => String(reply.body['code'] ?? reply.type));
        const slowestMs = Math.max(...answers.map(({ tookMs }) => tookMs));
        const deaths = [...supervisors.values()].reduce((sum, supervisor) => sum + supervisor.deaths, 0);
        process.stdout.write(
          `${count} ${memory}: slowest ${(slowestMs / 1000).toFixed(1)} s, ${deaths} deaths\n`,
        );
        expect(types).toEqual(Array.from({ length: HARMLESS }, () => 'session.created'));
      };

      it('are all answered beside the command that kills, which is poison', async () => {
        const sent = sendAll();
        const killer = send(KILLER);
        await expectAnswered(sent);
        expect((await killer).reply.body['code']).toMatch(/^(POISON_COMMAND|COMMAND_EXPIRED)$/);
        const letters = await service.caller.drain(service.name('dead-letters'));
        for (const { properties } of letters) expect(properties.messageId).toBe(KILLER);
      });

      it('are all answered if there is no such command', async () => {
        const sent = sendAll();
        for (let kill = 0; kill < KILLS; kill += 1) {
          inFlight.clear();
          await until('they are in flight', () => inFlight.size >= HARMLESS);
          for (const { worker } of supervisors.values()) worker.kill('SIGKILL');
        }
        await expectAnswered(sent);
        expect(await service.caller.drain(service.name('dead-letters'))).toEqual([]);
      });
    },
  );
});
