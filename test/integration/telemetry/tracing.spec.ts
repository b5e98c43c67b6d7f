import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { openTracing, type Tracing, type TracingSettings } from '#telemetry';

import { OtlpReceiver } from '../../support/otlp/otlp-receiver.ts';
import { until } from '../../support/until.ts';

/** Far longer than a test: what is exported is exported by the end. */
const NEVER_MS = 3_600_000;

describe('openTracing', () => {
  let receiver: OtlpReceiver;
  const failures: { spans: number; message: string }[] = [];
  beforeEach(async () => {
    receiver = await OtlpReceiver.start();
    failures.length = 0;
  });
  afterEach(() => receiver[Symbol.asyncDispose]());

  const open = (
    settings: Partial<TracingSettings> = {},
    batch: Partial<TracingSettings['batch']> = {},
  ): Promise<Tracing> =>
    openTracing(
      {
        serviceName: 'a-service',
        url: `${receiver.url}/v1/traces`,
        headers: {},
        sampler: 'parentbased_always_on',
        samplerRatio: 1,
        batch: { delayMs: NEVER_MS, timeoutMs: NEVER_MS, queue: 2_048, size: 512, ...batch },
        ...settings,
      },
      (spans, { message }) => failures.push({ spans, message }),
    );
  const make = ({ tracer }: Tracing, count: number): void => {
    for (let made = 0; made < count; made += 1) tracer.startSpan('a-span').end();
  };

  it('exports what is left at its end', async () => {
    const tracing = await open({ headers: { 'api-key': 'secret' } });
    make(tracing, 600);
    await tracing.close(NEVER_MS);
    expect(receiver.spans).toHaveLength(600);
    expect(receiver.spans[0]).toMatchObject({ name: 'a-span', service: 'a-service', parentId: '' });
    expect(receiver.requests.map(({ path, headers }) => [path, headers['api-key']])).toEqual([
      ['/v1/traces', 'secret'],
      ['/v1/traces', 'secret'],
    ]);
    expect(failures).toEqual([]);
  });

  it('waits no longer than it is told for a collector that hangs, and tells what is lost', async () => {
    receiver.answer = 'hang';
    const tracing = await open();
    make(tracing, 7);
    await tracing.close(50);
    expect(failures).toEqual([{ spans: 7, message: 'the worker stopped before they were taken' }]);
  });

  it('tells of a collector that refuses at once, and then no more than once a minute', async () => {
    receiver.answer = 'refuse';
    const tracing = await open({}, { size: 1, queue: 1 });
    for (let batches = 1; batches <= 3; batches += 1) {
      make(tracing, 1);
      await until('the batch was refused', () => receiver.requests.length === batches);
    }
    await tracing.close(NEVER_MS);
    expect(failures).toEqual([{ spans: 1, message: expect.stringContaining('Bad Request') }]);
  });

  it.each([
    ['always_on', 1, 20],
    ['always_off', 1, 0],
    ['traceidratio', 0, 0],
    ['traceidratio', 1, 20],
    ['parentbased_always_on', 1, 20],
    ['parentbased_always_off', 1, 0],
    ['parentbased_traceidratio', 0, 0],
  ] as const)('samples by %s of %s', async (sampler, samplerRatio, expected) => {
    const tracing = await open({ sampler, samplerRatio });
    make(tracing, 20);
    await tracing.close(NEVER_MS);
    expect(receiver.spans).toHaveLength(expected);
  });

  it('keeps no more than may wait', async () => {
    const tracing = await open({}, { queue: 10, size: 10 });
    receiver.answer = 'hang';
    make(tracing, 10);
    await until('they are under way', () => receiver.requests.length === 1);
    receiver.answer = 'take';
    make(tracing, 30);
    await tracing.close(50);
    expect(receiver.spans).toHaveLength(10);
  });

  it('cuts long values', async () => {
    const tracing = await open();
    tracing.tracer.startSpan('a-span', { attributes: { long: 'x'.repeat(1_000) } }).end();
    await tracing.close(NEVER_MS);
    expect(String(receiver.spans[0]?.attributes['long'])).toHaveLength(256);
  });
});
