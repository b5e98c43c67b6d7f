import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { TracingSettings } from '#settings';
import { createLogger } from '#telemetry';

import { exportTraces } from '../../../apps/worker/src/traces/export-traces.ts';
import { root } from '../../../scripts/root.ts';
import { OtlpReceiver } from '../../support/otlp/otlp-receiver.ts';
import { until } from '../../support/until.ts';

/** Far longer than a test: what is exported is exported by the end. */
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
      url: `${receiver.url}/v1/traces`,
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

  it('exports what is left at its end', async () => {
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

  it('keeps no more than may wait', async () => {
    const tracing = open({ OTEL_BSP_MAX_QUEUE_SIZE: 10 });
    receiver.answer = 'hang';
    make(tracing, 10);
    await until('they are under way', () => receiver.requests.length === 1);
    receiver.answer = 'take';
    make(tracing, 30);
    await tracing.close(50);
    expect(receiver.spans).toHaveLength(10);
  });

  it('cuts long values', async () => {
    const tracing = open();
    tracing.tracer.startSpan('a-span', { attributes: { long: 'x'.repeat(1_000) } }).end();
    await tracing.close(NEVER_MS);
    expect(String(receiver.spans[0]?.attributes['long'])).toHaveLength(256);
  });
});

describe('unread log', () => {
  /** Starts a program whose output is not read, so that the pipe fills up. */
  const startUnread = (program: string) =>
    spawn(process.execPath, ['--expose-gc', '--input-type=module', '--eval', program], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  const MIB = 1024 * 1024;
  const LIMIT_MIB = 16;
  const LOGGED_MIB = 256;

  /** Logs far more than is read, then prints how many bytes of it the process keeps. */
  const PROGRAM = `
  import { createLogger } from '#telemetry';
  const logger = createLogger('info');
  const text = 'x'.repeat(1000);
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  for (let mib = 0; mib < ${LOGGED_MIB}; mib += 1) {
    for (let line = 0; line < 1024; line += 1) logger.info({ text }, 'a line');
    await new Promise(setImmediate);
  }
  globalThis.gc();
  process.stderr.write(String(process.memoryUsage().heapUsed - before));
  // Not a clean exit, which would wait for a reader.
  process.kill(process.pid, 'SIGKILL');
`;

  it('a log that is not read keeps 16 MiB at most, and does not stop the process', async () => {
    const child = startUnread(PROGRAM);
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    await once(child, 'exit');
    expect(stderr).toMatch(/^\d+$/);
    expect(Number(stderr) / MIB).toBeLessThan(2 * LIMIT_MIB);
  });

  /** Logs more than the pipe takes, and nothing more once it has said so. */
  const PAUSED = `
  import { createLogger } from '#telemetry';
  const logger = createLogger('info');
  for (let line = 0; line < 1024; line += 1) logger.info({ text: 'x'.repeat(1000) }, 'a line');
  logger.info('the last line');
  setTimeout(() => process.stderr.write('logged'), 200);
  setInterval(() => undefined, 60_000);
`;

  it('is written to its end for a reader that had paused, without another line', async () => {
    const child = startUnread(PAUSED);
    await once(child.stderr, 'data');
    let log = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (log += text));
    await until('the last line is there', () => log.endsWith('"the last line"}\n')).finally(() =>
      child.kill(),
    );
  });
});
