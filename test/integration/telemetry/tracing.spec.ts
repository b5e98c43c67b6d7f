import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { TracingSettings } from '#settings';
import { createLogger } from '#telemetry';

import { exportTraces } from '../../../apps/worker/src/traces/export-traces.ts';
import { OtlpReceiver } from '../../support/otlp/otlp-receiver.ts';
import { until } from '../../support/until.ts';

/** Much longer than a test, so that spans are exported only at shutdown. */
const NEVER_MS = 3_600_000;

type Tracing = ReturnType<typeof exportTraces>;

describe('exportTraces', () => {
  let receiver: OtlpReceiver;
  let lines: Record<string, unknown>[];

  beforeEach(async () => {
    receiver = await OtlpReceiver.start();
    lines = [];
  });

  afterEach(() => receiver[Symbol.asyncDispose]());

  const open = (settings: Partial<TracingSettings> = {}): Tracing => {
    const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
    const defaults = {
      url: `${receiver.origin}/v1/traces`,
      headers: {},
      OTEL_SERVICE_NAME: 'a-service',
      OTEL_TRACES_SAMPLER: 'parentbased_always_on',
      OTEL_TRACES_SAMPLER_ARG: 1,
      OTEL_BSP_SCHEDULE_DELAY: NEVER_MS,
      OTEL_BSP_EXPORT_TIMEOUT: NEVER_MS,
      OTEL_BSP_MAX_QUEUE_SIZE: 2_048,
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: 512,
    };
    return exportTraces({ ...defaults, ...settings } as TracingSettings, createLogger('info', { write }));
  };
  const make = ({ tracer }: Tracing, count: number): void => {
    for (let made = 0; made < count; made += 1) tracer.startSpan('a-span').end();
  };

  it('exports the remaining spans at shutdown', async () => {
    const tracing = open({ headers: { 'api-key': 'secret' } });
    make(tracing, 600);
    await tracing.close(NEVER_MS);
    expect(receiver.spans).toHaveLength(600);
    expect(receiver.spans[0]).toMatchObject({ name: 'a-span', service: 'a-service', parentId: '' });
    expect(receiver.requests.map(({ path, headers }) => [path, headers['api-key']])).toEqual([
      ['/v1/traces', 'secret'],
      ['/v1/traces', 'secret'],
    ]);
    expect(lines).toEqual([]);
  });

  it.each([
    ['always_off', 1, 0],
    ['traceidratio', 0, 0],
    ['parentbased_always_on', 1, 20],
    ['parentbased_traceidratio', 0, 0],
  ] as const)('samples by %s of %s', async (OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG, expected) => {
    const tracing = open({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG });
    make(tracing, 20);
    await tracing.close(NEVER_MS);
    expect(receiver.spans).toHaveLength(expected);
  });

  it('truncates long values', async () => {
    const tracing = open();
    tracing.tracer.startSpan('a-span', { attributes: { long: 'x'.repeat(1_000) } }).end();
    await tracing.close(NEVER_MS);
    expect(String(receiver.spans[0]?.attributes['long'])).toHaveLength(256);
  });

  it('keeps no more than may wait', async () => {
    // Without this, the exporter would wait for ten seconds and delay the end of the process. No test
    // follows.
    process.env['OTEL_EXPORTER_OTLP_TIMEOUT'] = '500';
    const tracing = open({ OTEL_BSP_MAX_QUEUE_SIZE: 10 });
    receiver.behaviour = 'hangs';
    make(tracing, 10);
    await until('they are under way', () => receiver.requests.length === 1);
    receiver.behaviour = 'takes';
    make(tracing, 30);
    await tracing.close(NEVER_MS);
    expect(receiver.spans).toHaveLength(10);
  });
});
