import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

import { DURATION_BOUNDS, Durations, PlainMetric, PlainNumber } from './plain-metric.ts';

const CALLS = { name: 'calls', help: 'Calls.', labelNames: ['type', 'end'] };
const IN_FLIGHT = { name: 'in_flight', help: 'In flight.', labelNames: ['lane'] };
const TIMES = { name: 'times', help: 'Times.', labelNames: ['type', 'end'] };
/** The number of generated sequences, each of hundreds of events. */
const RUNS = 25;

/** The same three metrics, as prom-client's and as plain metrics. */
function theirs() {
  const registry = new Registry();
  const registers = [registry];
  const calls = new Counter({ ...CALLS, registers });
  const inFlight = new Gauge({ ...IN_FLIGHT, registers });
  const times = new Histogram({ ...TIMES, registers, buckets: [...DURATION_BOUNDS] });
  return {
    registry,
    count: (type: string, end: string) => calls.inc({ type, end }),
    take: (lane: string) => inFlight.inc({ lane }),
    release: (lane: string) => inFlight.dec({ lane }),
    time: (type: string, end: string, seconds: number) => times.observe({ type, end }, seconds),
  };
}

function ours() {
  const registry = new Registry();
  const calls = new PlainMetric(PlainNumber, { ...CALLS, type: 'counter', registry });
  const inFlight = new PlainMetric(PlainNumber, { ...IN_FLIGHT, type: 'gauge', registry });
  const times = new PlainMetric(Durations, { ...TIMES, type: 'histogram', registry });
  return {
    registry,
    count: (type: string, end: string) => void (calls.labels(type, end).value += 1),
    take: (lane: string) => void (inFlight.labels(lane).value += 1),
    release: (lane: string) => void (inFlight.labels(lane).value -= 1),
    time: (type: string, end: string, seconds: number) => times.labels(type, end).observe(seconds),
  };
}

type Recorder = Omit<ReturnType<typeof theirs>, 'registry'>;

const label = fc.constantFrom('a', 'b', 'unknown', 'with "quotes" and \\', '');
const seconds = fc.oneof(
  fc.constantFrom(0, ...DURATION_BOUNDS, 601),
  fc.double({ min: 0, max: 700, noNaN: true }),
  fc.nat(100_000).map((ms) => ms / 1000),
);
const event = fc.record({
  act: fc.constantFrom('count' as const, 'take' as const, 'release' as const, 'time' as const),
  first: label,
  second: label,
  seconds,
});

type Event = typeof event extends fc.Arbitrary<infer E> ? E : never;

function record(metrics: Recorder, { act, first, second, seconds: time }: Event): void {
  if (act === 'count') metrics.count(first, second);
  else if (act === 'time') metrics.time(first, second, time);
  else metrics[act](first);
}

it('PlainMetric returns the same values as a prom-client metric at every scrape, in the same order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(event, { size: 'large' })), async (scrapes) => {
      const [expected, actual] = [theirs(), ours()];
      for (const events of scrapes) {
        for (const each of events) {
          record(expected, each);
          record(actual, each);
        }
        expect(await actual.registry.metrics()).toBe(await expected.registry.metrics());
      }
    }),
    { numRuns: RUNS },
  );
});
