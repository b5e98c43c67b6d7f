import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import {
  OUTAGE_KINDS,
  type Outage,
  type SimulatedSetting,
} from '../../../scripts/simulate/scenario/scenario.ts';
import { scenarioOf } from '../../../scripts/simulate/scenario/scenario.fixture.ts';
import { simulate } from '../../../scripts/simulate/simulate.ts';
import { answerJson, type PlatformBehaviour, sessionDocument } from '../../support/platform-stub.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';

/** Commands that are sent at once; few enough that a busy machine handles them in much less time than the platform. */
const COMMANDS = 60;
const LATENCY_MS = 1_500;
const CONNECTIONS = 16;
const SETTINGS = {
  PLATFORM_CONNECTIONS: String(CONNECTIONS),
  PLATFORM_MAX_ATTEMPTS: '1',
  PLATFORM_ATTEMPT_TIMEOUT_MS: '5000',
  INTERACTIVE_DEADLINE_MS: '60000',
  CIRCUIT_OPEN_MS: '600000',
} satisfies Partial<Record<SimulatedSetting, string>>;

/** What both of them tell of a load. */
interface Observed {
  readonly outcomes: Readonly<Record<string, number>>;
  /** To the platform, and the most of them at once. */
  readonly calls: number;
  readonly callsAtOnce: number;
  /** Of the answers, sorted. */
  readonly tookMs: readonly number[];
}

type Platform = 'well' | Outage['kind'];

/** How many of the calls that are under way when the circuit opens may differ. */
const CALLS_TOLERANCE = CONNECTIONS;
/** A time of the worker is longer by what its machine, its broker and its sockets take. */
const TIME_TOLERANCE_MS = 1_000;

describe.each([
  ['a platform that is well', 'well', {}],
  ['a platform that answers 503', 'errors', {}],
  ['a platform that never answers', 'silent', { PLATFORM_ATTEMPT_TIMEOUT_MS: '1000' }],
  ['a deadline that passes while commands wait', 'well', { INTERACTIVE_DEADLINE_MS: '4000' }],
  ['a short queue for connections', 'well', { PLATFORM_QUEUE: '10' }],
] as const)('%s', (_title, platform, changed) => {
  it('has the same effect on a real worker as on a simulated one', async () => {
    const settings = { ...SETTINGS, ...changed };
    const simulated = await simulatedLoad(platform, settings);
    const real = await realLoad(platform, settings);
    const codes = new Set([...Object.keys(real.outcomes), ...Object.keys(simulated.outcomes)]);
    for (const code of codes) {
      const difference = Math.abs((real.outcomes[code] ?? 0) - (simulated.outcomes[code] ?? 0));
      expect([code, difference <= CALLS_TOLERANCE]).toEqual([code, true]);
    }
    expect(real.callsAtOnce).toBe(simulated.callsAtOnce);
    expect(Math.abs(real.calls - simulated.calls)).toBeLessThanOrEqual(CALLS_TOLERANCE);
    for (const share of [0.25, 0.5, 0.75, 1]) {
      const index = Math.ceil(share * COMMANDS) - 1;
      const [realMs = NaN, simulatedMs = NaN] = [real.tookMs[index], simulated.tookMs[index]];
      expect(Math.abs(realMs - simulatedMs)).toBeLessThanOrEqual(TIME_TOLERANCE_MS);
    }
  });
});

async function simulatedLoad(
  platform: Platform,
  settings: Readonly<Record<string, string>>,
): Promise<Observed> {
  const scenario = scenarioOf(
    [
      `--for 30 --rate 0 --reports 0 --games 0 --burst 1:${COMMANDS}`,
      `--latency ${LATENCY_MS} --latency-p99 ${LATENCY_MS}`,
      ...OUTAGE_KINDS.filter((kind) => kind === platform).map((kind) => `--outage 0-60:${kind}`),
      ...Object.entries(settings).map(([name, value]) => `--set ${name}=${value}`),
    ].join(' '),
  );
  const { answered, calls, samples } = await simulate(scenario);
  return {
    outcomes: countsOf(answered.map(({ outcome }) => outcome)),
    calls,
    callsAtOnce: Math.max(...samples.map(({ mostCallsAtOnce }) => mostCallsAtOnce)),
    tookMs: answered.map(({ tookMs }) => tookMs).sort((a, b) => a - b),
  };
}

async function realLoad(platform: Platform, settings: Readonly<Record<string, string>>): Promise<Observed> {
  let inFlight = 0;
  let callsAtOnce = 0;
  let isWarm = false;
  const behaviour: PlatformBehaviour = async ({ url }, response) => {
    const userId = url.pathname.split('/').at(-2) ?? '';
    if (!isWarm) return answerJson(response, 200, sessionDocument(userId));
    inFlight += 1;
    callsAtOnce = Math.max(callsAtOnce, inFlight);
    response.on('close', () => (inFlight -= 1));
    if (platform === 'silent') return;
    await sleep(platform === 'errors' ? 20 : LATENCY_MS);
    if (platform === 'errors') answerJson(response, 503, {});
    else answerJson(response, 200, sessionDocument(userId));
  };
  await using service = await ServiceUnderTest.start({ behaviour, variables: settings });
  await service.worker();
  // Its code is compiled and its connections stand. What it was answered must leave the window of the circuit open.
  for (let command = 0; command < 5; command += 1) await create(service, `warm-${command}`);
  isWarm = true;
  const callsBefore = service.platform.requests.length;
  const answers = await Promise.all(
    Array.from({ length: COMMANDS }, (_, command) => create(service, `player-${command}`)),
  );
  return {
    outcomes: countsOf(answers.map(({ outcome }) => outcome)),
    calls: service.platform.requests.length - callsBefore,
    callsAtOnce,
    tookMs: answers.map(({ tookMs }) => tookMs).sort((a, b) => a - b),
  };
}

async function create(
  service: ServiceUnderTest,
  userId: string,
): Promise<{ outcome: string; tookMs: number }> {
  const sentAtMs = performance.now();
  const { type, body } = await service.caller.sendForOne('session.create', { userId });
  const outcome = type === 'command.failed' ? String(body['code']) : 'success';
  return { outcome, tookMs: performance.now() - sentAtMs };
}

function countsOf(outcomes: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    [...Map.groupBy(outcomes, (outcome) => outcome)].map(([code, all]) => [code, all.length]),
  );
}
