import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

import { BOUNDS, Durations } from './durations.ts';
import { PlainMetric, PlainNumber } from './plain-metric.ts';

/** The same three metrics, made of prom-client's and of plain ones. */
function theirs() {
  const registry = new Registry();
  const registers = [registry];
  const calls = new Counter({ name: 'calls', help: 'Calls.', labelNames: ['type', 'end'], registers });
  const hand = new Gauge({ name: 'hand', help: 'In flight.', labelNames: ['lane'], registers });
  const times = new Histogram({
    name: 'times',
    help: 'Times.',
    labelNames: ['type', 'end'],
    buckets: BOUNDS,
    registers,
  });
  return {
    registry,
    count: (type: string, end: string) => calls.inc({ type, end }),
    take: (lane: string) => hand.inc({ lane }),
    release: (lane: string) => hand.dec({ lane }),
    time: (type: string, end: string, seconds: number) => times.observe({ type, end }, seconds),
  };
}

function ours() {
  const registry = new Registry();
  const twoLabels = { labelNames: ['type', 'end'], registry };
  const calls = new PlainMetric(PlainNumber, {
    name: 'calls',
    help: 'Calls.',
    type: 'counter',
    ...twoLabels,
  });
  const hand = new PlainMetric(PlainNumber, {
    name: 'hand',
    help: 'In flight.',
    type: 'gauge',
    labelNames: ['lane'],
    registry,
  });
  const times = new PlainMetric(Durations, {
    name: 'times',
    help: 'Times.',
    type: 'histogram',
    ...twoLabels,
  });
  return {
    registry,
    count: (type: string, end: string) => {
      calls.labels(type, end).value += 1;
    },
    take: (lane: string) => {
      hand.labels(lane).value += 1;
    },
    release: (lane: string) => {
      hand.labels(lane).value -= 1;
    },
    time: (type: string, end: string, seconds: number) => times.labels(type, end).observe(seconds),
  };
}

type Recorder = Omit<ReturnType<typeof theirs>, 'registry'>;

interface Event {
  readonly act: keyof Recorder;
  readonly first: string;
  readonly second: string;
  readonly seconds: number;
}

const label = fc.constantFrom('a', 'b', 'unknown', 'with "quotes" and \\', '');
const seconds = fc.oneof(
  fc.constantFrom(0, ...BOUNDS, 601),
  fc.double({ min: 0, max: 700, noNaN: true }),
  fc.nat(100_000).map((ms) => ms / 1000),
);
const event: fc.Arbitrary<Event> = fc.record({
  act: fc.constantFrom('count' as const, 'take' as const, 'release' as const, 'time' as const),
  first: label,
  second: label,
  seconds,
});

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

  it('shows the same as JSON, except for exemplars', async () => {
    const [expected, actual] = [theirs(), ours()];
    for (const metrics of [expected, actual]) {
      metrics.count('a', 'b');
      metrics.take('c');
      metrics.time('a', 'b', 0.02);
    }
    const text = async ({ registry }: { registry: Registry }) =>
      JSON.parse(JSON.stringify(await registry.getMetricsAsJSON()));
    expect(await text(expected)).toMatchObject(await text(actual));
  });

  it('keeps one series for each set of labels, however much is counted', async () => {
    const metrics = ours();
    for (let n = 0; n < 100_000; n += 1) metrics.count(`type ${n % 3}`, `end ${n % 2}`);
    const lines = (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('calls{'));
    expect(lines).toHaveLength(6);
    expect(lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)).toBe(100_000);
  });

  it('loses no updates while it is read', async () => {
    const metrics = ours();
    metrics.count('a', 'b');
    const reading = metrics.registry.metrics();
    metrics.count('a', 'b');
    const first = await reading;
    const second = await metrics.registry.metrics();
    expect(first).toMatch(/\ncalls\{type="a",end="b"\} [12]\n/);
    expect(second).toContain('\ncalls{type="a",end="b"} 2\n');
  });

  it('starts at zero if the registry is reset', async () => {
    const metrics = ours();
    metrics.count('a', 'b');
    metrics.registry.resetMetrics();
    expect(await metrics.registry.metrics()).not.toContain('calls{');
    metrics.count('a', 'b');
    expect(await metrics.registry.metrics()).toContain('\ncalls{type="a",end="b"} 1\n');
  });

  it('is refused if the registry has one of its name', () => {
    const { registry } = ours();
    const facts = { name: 'calls', help: 'Calls.', type: 'counter', labelNames: ['type'], registry } as const;
    expect(() => new PlainMetric(PlainNumber, facts)).toThrow(/calls has already been registered/);
  });
});
