import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { createSessions, players } from '../../support/create-sessions.ts';
import { Gate, healthy, playerOf } from '../../support/platform-answers.ts';
import type { PlatformBehaviour } from '../../support/platform-stub.ts';
import { PrivateRedis } from '../../../scripts/private-redis.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { Supervisor } from '../../support/supervisor.ts';
import type { WorkerProcess } from '../../../scripts/processes/worker-process.ts';
import { until } from '../../support/until.ts';

describe('burst after outage', () => {
  /** A third of the deadline: how long what is in flight may take until its operation counts as stuck. */
  const SLOW_MS = 5_000;
  /** More than the half that an operation that is stuck may hold. */
  const BURST = 100;
  const service = serviceForAll({ behaviour: healthy() });
  let worker: WorkerProcess;

  beforeAll(async () => {
    worker = await service.worker({
      INTERACTIVE_PREFETCH: '128',
      INTERACTIVE_DEADLINE_MS: String(3 * SLOW_MS),
    });
  });

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
] as const)('sixty harmless commands whose workers die three times, with %i workers %s', (count, memory) => {
  let redis: PrivateRedis | undefined;
  let service: ServiceUnderTest;
  let supervisors: Map<string, Supervisor>;
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
  });

  afterEach(async () => {
    for (const supervisor of supervisors.values()) supervisor.stop();
    await service[Symbol.asyncDispose]();
    await redis?.[Symbol.asyncDispose]();
    redis = undefined;
  });

  const sendAll = () => createSessions(service, players(HARMLESS, 'harmless'), 2 * DEADLINE_MS);
  const expectAnswered = async (sent: ReturnType<typeof sendAll>): Promise<void> => {
    const types = (await sent).map((reply) => String(reply?.body['code'] ?? reply?.type));
    expect(types).toEqual(Array.from({ length: HARMLESS }, () => 'session.created'));
  };

  it('are all answered beside the command that kills, which is poison', async () => {
    const sent = sendAll();
    // It is answered by a worker that has to start first, which takes a busy machine seconds.
    const killer = createSessions(service, [KILLER], 6 * DEADLINE_MS);
    await expectAnswered(sent);
    expect((await killer)[0]?.body['code']).toMatch(/^(POISON_COMMAND|COMMAND_EXPIRED)$/);
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
});
