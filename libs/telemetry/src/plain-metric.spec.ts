import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

import { DURATION_BOUNDS, Durations, PlainMetric, PlainNumber } from './plain-metric.ts';

/** The same three metrics, made of prom-client's and of plain ones. */
function theirs() {
  const registry = new Registry();
  const two = { labelNames: ['type', 'end'], registers: [registry] };
  const calls = new Counter({ name: 'calls', help: 'Calls.', ...two });
  const inFlight = new Gauge({
    name: 'in_flight',
    help: 'In flight.',
    labelNames: ['lane'],
    registers: [registry],
  });
  const times = new Histogram({ name: 'times', help: 'Times.', buckets: [...DURATION_BOUNDS], ...two });
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
  const two = { labelNames: ['type', 'end'], registry };
  const one = { labelNames: ['lane'], registry };
  const calls = new PlainMetric(PlainNumber, { name: 'calls', help: 'Calls.', type: 'counter', ...two });
  const inFlight = new PlainMetric(PlainNumber, {
    name: 'in_flight',
    help: 'In flight.',
    type: 'gauge',
    ...one,
  });
  const times = new PlainMetric(Durations, { name: 'times', help: 'Times.', type: 'histogram', ...two });
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

describe('PlainMetric', () => {
  it('shows the same as a metric of prom-client at every scrape, in the same order', async () => {
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
    );
  });

  it('is refused if the registry has one of its name', () => {
    const { registry } = ours();
    const facts = { name: 'calls', help: 'Calls.', type: 'counter', labelNames: ['type'], registry } as const;
    expect(() => new PlainMetric(PlainNumber, facts)).toThrow(/calls has already been registered/);
  });
});
