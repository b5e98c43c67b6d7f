import { describe, expect, it } from '@jest/globals';
import { context, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { SimpleSpanProcessor, StackContextManager, TracerProvider } from '@opentelemetry/sdk-trace';

import { OtlpReceiver } from '../../support/otlp/otlp-receiver.ts';
import { printTree } from '../../support/otlp/print-tree.ts';
import type { ReceivedSpan } from '../../support/otlp/read-spans.ts';
import { DAY, healthy, unavailable } from '../../support/platform-answers.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';
import { openCallers } from '../caller/open-callers.ts';

/**
 * Makes a call within a span of another team's service, which has OpenTelemetry of its own.
 *
 * @param collector the root of its address
 */
async function withinShop<T>(collector: string, name: string, act: () => Promise<T>) {
  const exporter = new OTLPTraceExporter({ url: `${collector}/v1/traces` });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'shop' }),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  context.setGlobalContextManager(new StackContextManager().enable());
  const span = provider.getTracer('shop').startSpan(name);
  try {
    return { result: await context.with(trace.setSpan(context.active(), span), act), span };
  } finally {
    span.end();
    await provider.shutdown();
    context.disable();
  }
}

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;

const traceparentOf = (number: number) => `00-${traceIdOf(number)}-00f067aa0ba902b7-01`;
const traceIdOf = (number: number) => `${TRACE_ID.slice(0, -1)}${number}`;

describe('traces', () => {
  let receiver: OtlpReceiver;
  const service = serviceForAll(async (stack) => {
    receiver = stack.use(await OtlpReceiver.start());
    const variables = {
      ...receiver.variables,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=canary%20key',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      REPORTS_RETRY_DELAYS_MS: '100',
    };
    return { behaviour: healthy(3), variables, workers: 1 };
  });

  const failing = (times: number): void => {
    let left = times;
    service.platform.behaviour = (request, response, socket) => {
      left -= 1;
      return (left >= 0 ? unavailable : healthy(3))(request, response, socket);
    };
  };
  const named = (name: string) => name.replaceAll(service.prefix, 'poker');
  /** One line per span: its name, service, kind and status. */
  const treeOf = (spans: readonly ReceivedSpan[]) =>
    printTree(spans, ({ name, service: of, kind, isError }) =>
      named(`${name} [${of}, ${kind}]${isError ? ' failed' : ''}`),
    );
  const spansOf = (traceId: string, count: number) =>
    until(`${count} spans of the trace have come`, () => {
      const spans = receiver.of(traceId);
      return spans.length >= count && spans;
    });
  /** The lines of the log that name a trace, once there are so many. */
  const linesOf = (traceId: string, count = 1) =>
    until(`${count} lines of the log name the trace`, () => {
      const lines = service.running.log.filter((line) => line['traceId'] === traceId);
      return lines.length >= count && lines;
    });

  it("goes from the caller's active span by way of each attempt to the reply", async () => {
    failing(1);
    await using callers = openCallers(service);
    const caller = callers.open();
    const { result, span } = await withinShop(receiver.origin, 'show the lobby', () =>
      caller.openGame({ player: { id: 'p-1' }, session: { lang: 'de' } }),
    );
    expect(result.playerId).toBe('p-1');
    const { traceId } = span.spanContext();
    expect(treeOf(await spansOf(traceId, 5))).toBe(
      [
        'show the lobby [shop, internal]',
        '  process poker.interactive [poker-bridge, consumer]',
        '    POST /apiweb/v3/open-game [poker-bridge, client] failed',
        '    POST /apiweb/v3/open-game [poker-bridge, client]',
        '    publish {reply_to} [poker-bridge, producer]',
      ].join('\n'),
    );
    expect(await linesOf(traceId)).toMatchObject([
      { msg: 'command answered', attempts: 2, outcome: 'success' },
    ]);
  });

  it('tells names, ids, sizes and outcomes, and nothing of a player', async () => {
    failing(1);
    const player = { userId: 'canary-user', nick: 'canary-nick', authType: 'external', lang: 'en' };
    const reply = await service.caller.sendForOne('session.create', player, {
      messageId: 'm-1',
      correlationId: 'c-1',
      appId: 'canary-app',
      headers: { traceparent: TRACEPARENT, tracestate: 'vendor=canary', 'x-canary': 'canary' },
    });
    const spans = await spansOf(TRACE_ID, 4);
    // By their kinds: a command and its first attempt may begin within the same millisecond.
    const [process, publish] = ['consumer', 'producer'].map((of) => spans.find(({ kind }) => kind === of));
    const [first, second] = spans
      .filter(({ kind }) => kind === 'client')
      .toSorted((a, b) => a.startedAtMs - b.startedAtMs);
    const bus = { 'messaging.system.name': 'rabbitmq' };
    const { origin } = service.platform;
    expect(process?.attributes).toEqual({
      ...bus,
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': service.name('interactive'),
      'messaging.message.id': 'm-1',
      'messaging.message.conversation_id': 'c-1',
      'messaging.message.body.size': JSON.stringify(player).length,
      'pokerbridge.command.type': 'session.create',
      'pokerbridge.operator': 'default',
      'pokerbridge.settlement': 'answer',
      'pokerbridge.outcome': 'success',
      'pokerbridge.attempts': 2,
    });
    const attempt = {
      'http.request.method': 'POST',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(origin).port),
      'url.full': `${origin}/api/web/v2/app/users/REDACTED/session`,
      'url.template': '/v2/app/users/{userId}/session',
    };
    expect([first?.attributes, second?.attributes]).toEqual([
      { ...attempt, 'http.response.status_code': 503, 'error.type': '503' },
      { ...attempt, 'http.response.status_code': 200, 'http.request.resend_count': 1 },
    ]);
    expect(publish?.attributes).toEqual({
      ...bus,
      'messaging.operation.name': 'publish',
      'messaging.operation.type': 'send',
      'messaging.destination.template': '{reply_to}',
      'messaging.message.id': 'm-1:0',
      'messaging.message.body.size': reply.text.length,
      'pokerbridge.message.type': 'session.created',
    });
    // The consumer of the reply belongs to the trace as well; the platform does not receive the trace.
    expect(reply.headers['traceparent']).toBe(`00-${TRACE_ID}-${publish?.spanId}-01`);
    expect(service.platform.requests.every(({ headers }) => headers['traceparent'] === undefined)).toBe(true);
    expect(Buffer.concat(receiver.bodies).toString('latin1')).not.toContain('canary');
    // An exporter of another suite may still try the port, which was its receiver's.
    const keys = receiver.requests.map(({ path, headers }) => [path, headers['api-key']]);
    expect(keys).toContainEqual(['/v1/traces', 'canary key']);
    expect(await linesOf(TRACE_ID)).toHaveLength(1);
  });

  it('continues through the retry queue of a report, with a span for each page', async () => {
    // As many attempts as a call has.
    failing(3);
    const traceparent = traceparentOf(1);
    await service.caller.send('report.ad-hoc.fetch', { ...DAY, perPage: 2 }, { headers: { traceparent } });
    const attempt = 'POST /v2/app/reports/ad_hoc [poker-bridge, client]';
    const reply = 'publish {reply_to} [poker-bridge, producer]';
    // The next page is requested while the one before it is published.
    const spans = await spansOf(traceIdOf(1), 11);
    expect(spans.map(({ attributes }) => attributes['pokerbridge.cause'])).toContain('HTTP 503');
    expect(treeOf(spans).split('\n').toSorted()).toEqual(
      [
        'process poker.reports [poker-bridge, consumer] failed',
        ...Array(3).fill(`  ${attempt} failed`),
        '  publish poker.reports.retry.100 [poker-bridge, producer]',
        '    process poker.reports [poker-bridge, consumer]',
        `      ${attempt}`,
        `      ${reply}`,
        `      ${attempt}`,
        `      ${reply}`,
        `      ${reply}`,
      ].toSorted(),
    );
    expect(await linesOf(traceIdOf(1), 2)).toMatchObject([
      {
        msg: 'command postponed',
        code: 'PLATFORM_UNAVAILABLE',
        reason: expect.stringMatching(/\w/),
        queue: `${service.prefix}.reports.retry.100`,
        delayMs: 100,
        until: expect.stringMatching(/^\d{4}-.*Z$/),
      },
      { msg: 'command answered' },
    ]);
  });

  it('shows why a command failed, its announcement and its dead letter', async () => {
    const headers = { traceparent: traceparentOf(2) };
    await service.caller.send('session.create', { userId: 7 }, { headers });
    const spans = await spansOf(traceIdOf(2), 4);
    const [process, ...published] = treeOf(spans).split('\n');
    expect(process).toBe('process poker.interactive [poker-bridge, consumer] failed');
    expect(published.toSorted()).toEqual([
      '  publish poker.dead-letters [poker-bridge, producer]',
      '  publish poker.events [poker-bridge, producer]',
      '  publish {reply_to} [poker-bridge, producer]',
    ]);
    expect(spans.find(({ kind }) => kind === 'consumer')?.attributes).toMatchObject({
      'pokerbridge.settlement': 'dead-letter',
      'pokerbridge.outcome': 'VALIDATION_FAILED',
      'error.type': 'VALIDATION_FAILED',
    });
  });

  it('begins for a command without one, whose reply has no traceparent', async () => {
    const before = new Set(receiver.spans.map(({ traceId }) => traceId));
    const reply = await service.caller.sendForOne('session.create', { userId: 'p-2' });
    expect(reply.headers).not.toHaveProperty('traceparent');
    const [begun] = await until('its spans have come', () => {
      const spans = receiver.spans.filter(({ traceId }) => !before.has(traceId));
      return spans.length === 3 && spans;
    });
    expect(treeOf(receiver.of(begun!.traceId))).toBe(
      [
        'process poker.interactive [poker-bridge, consumer]',
        '  POST /v2/app/users/{userId}/session [poker-bridge, client]',
        '  publish {reply_to} [poker-bridge, producer]',
      ].join('\n'),
    );
    expect(await linesOf(begun!.traceId)).toHaveLength(1);
  });

  it('keeps the decision of its caller not to sample', async () => {
    const headers = { traceparent: `00-${traceIdOf(3)}-00f067aa0ba902b7-00` };
    const reply = await service.caller.sendForOne('session.create', { userId: 'p-3' }, { headers });
    expect(reply.headers['traceparent']).toMatch(new RegExp(`^00-${traceIdOf(3)}-[0-9a-f]{16}-00$`));
    const sampled = { traceparent: traceparentOf(4) };
    await service.caller.send('session.create', { userId: 'p-3' }, { headers: sampled });
    await spansOf(traceIdOf(4), 3);
    expect(receiver.of(traceIdOf(3))).toEqual([]);
  });
});
