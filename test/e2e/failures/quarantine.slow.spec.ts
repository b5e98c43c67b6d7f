import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { ReceivedReply } from '../../support/bus-caller.ts';
import { healthy, playerOf } from '../../support/platform-answers.ts';
import type { PlatformBehaviour } from '../../support/platform-stub.ts';
import { PrivateRedis } from '../../support/private-redis.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { Supervisor } from '../../support/supervisor.ts';
import { until } from '../../support/until.ts';

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
});
