import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { WORKER } from '../../../scripts/build/programs.ts';
import { root } from '../../../scripts/root.ts';
import { OtlpReceiver } from '../../support/otlp/otlp-receiver.ts';
import { healthy } from '../../support/platform-answers.ts';
import { startSlowListener } from '../../support/slow-listener.ts';
import { folderForAll, serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

interface Script {
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly [{ readonly count: number }];
  }[];
}

/** Resolves a name to a slow address and another one. */
const NAMES = `
const dns = require('node:dns');
const { lookup } = dns;
dns.lookup = (name, options, callback) => {
  if (name !== 'collector.example') return lookup(name, options, callback);
  const found = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  process.nextTick(callback, null, found);
};
`;
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const headers = { traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01` };

/**
 * Returns the modules that a stopped worker had loaded. In its bundle, each module begins with a comment. A
 * module that is loaded on demand is a function named by its path, and V8's coverage shows if it was called.
 */
function modulesLoaded(folder: string): string[] {
  const reports = readdirSync(folder).map(
    (file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as { result: Script[] },
  );
  const functions = reports.flatMap(({ result }) => result.flatMap((script) => script.functions));
  const called = functions.filter(({ ranges: [whole] }) => whole.count > 0);
  const names = new Set(called.map(({ functionName }) => functionName));
  const bundle = readFileSync(join(root, 'dist', WORKER.file, '../start-worker.cjs'), 'utf8');
  const onDemand = new Set([...bundle.matchAll(/^ {2}"([^"]+)"\(/gm)].map(([, path = '']) => path));
  const modules = [...bundle.matchAll(/^\/\/ (\S+\.[cm]?js)$/gm)].map(([, path = '']) => path);
  return modules.filter((path) => !onDemand.has(path) || names.has(path));
}

describe('a worker', () => {
  const folder = folderForAll();
  let receiver: OtlpReceiver;
  const service = serviceForAll(async (stack) => {
    receiver = stack.use(await OtlpReceiver.start());
    return { behaviour: healthy() };
  });

  it("loads no SDK if no traces are configured; its log has the caller's trace", async () => {
    const worker = await service.worker({ NODE_V8_COVERAGE: folder.path, OTEL_METRICS_EXPORTER: 'otlp' });
    const reply = await service.caller.sendForOne('session.create', { userId: 'p-1' }, { headers });
    expect(reply.headers['traceparent']).toBe(headers.traceparent);
    await service.stop();
    expect(worker.log.filter(({ traceId }) => traceId === TRACE_ID)).toMatchObject([
      { msg: 'command answered', outcome: 'success' },
    ]);
    const modules = modulesLoaded(folder.path);
    expect(modules.some((path) => path.endsWith('/platform-state.js'))).toBe(true);
    // The API is loaded by prom-client, for exemplars.
    const isOfTraces = /@opentelemetry\/(?!api\/)|\/traces\/traces\.js|export-traces\.js/;
    expect(modules.filter((path) => isOfTraces.test(path))).toEqual([]);
  });

  it('serves while its collector refuses and hangs, says so once, and stops within its grace period', async () => {
    receiver.behaviour = 'refuses';
    const worker = await service.worker({ ...receiver.variables, SHUTDOWN_GRACE_MS: '1000' });
    const answer = () => service.caller.sendForOne('session.create', { userId: 'p-1' }, { headers });
    for (let batches = 1; batches <= 3; batches += 1) {
      expect(await answer()).toMatchObject({ type: 'session.created' });
      await until('another batch was refused', () => receiver.requests.length >= batches);
    }
    const failures = () => worker.log.filter(({ msg }) => msg === 'traces could not be exported');
    await until('it is reported', () => failures().length > 0);
    receiver.behaviour = 'hangs';
    expect(await answer()).toMatchObject({ type: 'session.created' });
    await service.stop();
    expect(failures()).toMatchObject([
      { level: 'warn', spans: expect.any(Number), cause: { name: 'OTLPExporterError' } },
      {
        spans: expect.any(Number),
        cause: { message: 'the worker stopped before these spans were exported' },
      },
    ]);
    expect(receiver.spans).toEqual([]);
  });

  it('exports to a collector one second away before it tries its next address', async () => {
    receiver.behaviour = 'takes';
    const other = createServer((socket) => {
      attempts += 1;
      socket.destroy();
    });
    let attempts = 0;
    const { port } = new URL(receiver.origin);
    await using slow = await startSlowListener(Number(port));
    await once(other.listen(slow.port, '127.0.0.2'), 'listening');
    const names = folder.write('names.cjs', NAMES);
    await service.worker({
      ...receiver.variables,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://collector.example:${slow.port}`,
      ALLOW_CLEARTEXT: 'true',
      NODE_OPTIONS: `--require=${names}`,
    });
    await slow.slowDown();
    await service.caller.sendForOne('session.create', { userId: 'p-1' }, { headers });
    await until('the spans arrive', () => receiver.spans.length > 0);
    expect(attempts).toBe(0);
    await service.stop();
    other.close();
  });
});
