import { describe, expect, it } from '@jest/globals';

import { Metrics } from '#telemetry';

import { STEP_MS, TypeHistory } from './history.ts';

const TYPE = 'game.open';
/** Number of commands per outcome in one step. */
type Step = Readonly<Record<string, number>>;

function historyOf(steps: readonly Step[], seconds = 0.02) {
  const metrics = new Metrics();
  const history = new TypeHistory(TYPE);
  history.add(metrics, 0);
  for (const [index, outcomes] of steps.entries()) {
    for (const [outcome, count] of Object.entries(outcomes)) {
      metrics.commands.labels(TYPE, outcome).value += count;
      metrics.commands.labels('session.create', outcome).value += 1;
      for (let n = 0; n < count; n += 1) metrics.commandDuration.labels(TYPE).observe(seconds);
    }
    history.add(metrics, (index + 1) * STEP_MS);
  }
  return history.figures!;
}

const times = (count: number, step: Step): readonly Step[] => Array.from({ length: count }, () => step);
const WELL = { success: 10 };
const DEAD = { CIRCUIT_OPEN: 9, PLATFORM_UNAVAILABLE: 1 };

describe('TypeHistory', () => {
  it('sums up the last minute by type, and counts failures caused by callers and players separately', () => {
    const refused = { NICKNAME_TAKEN: 1, VALIDATION_FAILED: 2 };
    expect(historyOf([...times(20, WELL), { ...DEAD, ...refused }, DEAD])).toMatchObject({
      seconds: 60,
      answered: 123,
      failed: 20,
      refused: 3,
      codes: [
        ['CIRCUIT_OPEN', 18],
        ['PLATFORM_UNAVAILABLE', 2],
      ],
      perSecond: 2.05,
    });
  });

  it('keeps each minute of an hour', () => {
    const { hour } = historyOf([...times(719, WELL), ...times(20, DEAD)]);
    expect(hour).toHaveLength(60);
    const p95Ms = expect.any(Number);
    expect([hour[0], hour.at(-2), hour.at(-1)]).toMatchObject([
      { answered: 120, causes: {}, p95Ms, platformP95Ms: null },
      { answered: 120, causes: { unavailable: 120 }, p95Ms },
      { atMs: 739 * STEP_MS, answered: 80, causes: { unavailable: 80 }, p95Ms },
    ]);
  });

  it('estimates platform latency from calls of every result', () => {
    const metrics = new Metrics();
    const history = new TypeHistory(TYPE);
    history.add(metrics, 0);
    for (const result of ['2xx', 'timeout'])
      for (let n = 0; n < 10; n += 1) metrics.platformRequestDuration.labels(TYPE, result).observe(4.2);
    history.add(metrics, STEP_MS);
    expect(history.figures).toMatchObject({ p95Ms: null, hour: [{ platformP95Ms: 4925 }] });
  });

  it('reports since when nearly all commands of a type fail, ignoring refused commands', () => {
    const known = historyOf([...times(3, WELL), ...times(2, { ...DEAD, NICKNAME_TAKEN: 100 })]);
    expect(known).toMatchObject({ deadSinceMs: 3 * STEP_MS, failingSinceMs: 3 * STEP_MS });
  });

  it('reports since when some commands fail, across short gaps without failures', () => {
    const known = historyOf([WELL, { success: 9, OVERLOADED: 1 }, WELL, {}, { success: 9, OVERLOADED: 1 }]);
    expect(known).toMatchObject({ failingSinceMs: STEP_MS, deadSinceMs: undefined });
  });

  it.each<[string, readonly Step[]]>([
    ['the first success', [DEAD, WELL]],
    ['a minute without a command', [DEAD, ...times(13, {})]],
    ['four failures alone', [{ CIRCUIT_OPEN: 4 }]],
  ])('reports no outage after %s', (_, steps) => expect(historyOf(steps).deadSinceMs).toBeUndefined());

  it.each([
    ['within the bucket of the histogram', 4.2, 3_500, 5_000],
    ['as the last bound beyond it', 1_000, 600_000, 600_000],
  ])('estimates latencies %s', (_, seconds, from, to) => {
    const { p50Ms, p95Ms } = historyOf([{ success: 20 }], seconds);
    expect(p50Ms).toBeGreaterThanOrEqual(from);
    expect(p95Ms).toBeGreaterThanOrEqual(p50Ms ?? Infinity);
    expect(p95Ms).toBeLessThanOrEqual(to);
  });

  it('returns no figures before the first step, and no latency without commands', () => {
    expect(new TypeHistory(TYPE).figures).toBeUndefined();
    const none = { seconds: 5, answered: 0, perSecond: 0, p50Ms: null, p95Ms: null };
    expect(historyOf([{}])).toMatchObject(none);
  });
});
