import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { createSessions, players, sessionsInFlight } from '../../support/create-sessions.ts';
import { Gate, healthy, PAGED_DAY, playerOf, unavailable } from '../../support/platform-answers.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';
import { keepWorkers, type Workers } from '../../support/workers.ts';

describe('burst after outage', () => {
  /** A third of the deadline: the time after which an operation without progress counts as stuck. */
  const SLOW_MS = 5_000;
  /** More than the half that a stuck operation may hold. */
  const BURST = 100;
  const variables = { INTERACTIVE_PREFETCH: '128', INTERACTIVE_DEADLINE_MS: String(3 * SLOW_MS) };
  const service = serviceForAll({ behaviour: healthy(), variables, workers: 1 });

  it('a burst after a broker outage is served, regardless of the commands in flight before', async () => {
    const { gate, sessions: before } = await sessionsInFlight(service, players(1, 'before'));
    service.proxy.refuse();
    service.proxy.cut();
    await sleep(SLOW_MS + 500);
    await service.proxy.open();
    await service.running.ready();

    const burst = createSessions(service, players(BURST, 'burst'));
    await until('all of it is in flight', async () => {
      const { bus } = await service.running.health();
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
/** The default deadline of players' commands. */
const DEADLINE_MS = 15_000;

describe.each([
  [1, 'without Redis', false],
  [2, 'with Redis', true],
] as const)('sixty commands whose workers die three times, with %i workers %s', (count, _, redis) => {
  let workers: Workers;
  // End the workers before the service ends, so that none is restarted.
  afterAll(() => workers?.[Symbol.asyncDispose]());
  const inFlight = new Set<string>();
  const service = serviceForAll({
    behaviour: (request, ...rest) => {
      inFlight.add(playerOf(request) ?? '');
      setTimeout(() => void healthy()(request, ...rest), PLATFORM_MS);
    },
    redis,
  });

  beforeAll(async () => {
    workers = keepWorkers(count, () => service.start());
    await workers.areReady();
  });

  it('are all answered, and none is dead-lettered', async () => {
    const sent = createSessions(service, players(HARMLESS, 'harmless'), 2 * DEADLINE_MS);
    for (let kill = 0; kill < KILLS; kill += 1) {
      inFlight.clear();
      await until('they are in flight', () => inFlight.size >= HARMLESS);
      for (const program of workers.programs) program.kill('SIGKILL');
    }
    const types = (await sent).map((reply) => String(reply?.body['code'] ?? reply?.type));
    expect(types).toEqual(Array.from({ length: HARMLESS }, () => 'session.created'));
    expect(await service.deadLetters()).toEqual([]);
  });
});

/** test/e2e/bad-input/forged.spec.ts tests where a postponed report resumes. */
describe('a report that the platform cannot serve now', () => {
  const gate = new Gate();
  const service = serviceForAll({
    behaviour: gate.behind(unavailable),
    variables: { REPORTS_RETRY_DELAYS_MS: '1000', PLATFORM_MAX_ATTEMPTS: '1', CIRCUIT_MINIMUM_CALLS: '1000' },
    workers: 1,
  });

  it('is postponed once the broker accepts copies again, and does not run in the meantime', async () => {
    const report = service.caller.send('report.rake.fetch', PAGED_DAY);
    await until('it is in flight', () => gate.held === 1);
    service.proxy.refuse();
    // The publishing connection is opened first.
    service.proxy.cut(0);
    await until('it is away', async () => (await service.running.get('/health/ready')).status === 503);
    gate.open();
    await sleep(500);
    expect(service.platform.requests).toHaveLength(1);
    service.platform.behaviour = healthy(4);
    await service.proxy.open();
    expect((await report).at(-1)?.type).toBe('report.completed');
    expect(service.running.stdout).not.toContain(service.name('quarantine'));
  });
});
