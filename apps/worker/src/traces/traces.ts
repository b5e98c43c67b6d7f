import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';

import {
  type CommandEnd,
  type CommandFacts,
  type CommandTrace,
  CommandTracer,
  type DeliveryFacts,
  type MessageKind,
} from '#messaging';
import { type AttemptFacts, type AttemptResult, type AttemptTrace, PlatformTracer } from '#platform';
import type { TracingSettings } from '#settings';
import type { Logger } from '#telemetry';

import { exportTraces } from './export-traces.ts';

const W3C = new W3CTraceContextPropagator();
/** Stands for the queues of callers, whose names may say more than a trace should. */
const REPLY_TO = '{reply_to}';
const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };
const VALUE = /\{\w+\}/g;

export type Traces = ReturnType<typeof openTraces>;

/** Traces by OpenTelemetry, exported as the settings say. */
export function openTraces(settings: TracingSettings, logger: Logger) {
  const { tracer, close } = exportTraces(settings, logger);
  return { commands: new CommandTraces(tracer), platform: new PlatformTraces(tracer), close };
}

/** A message between a command's worker and the broker. */
type Message = Parameters<Parameters<CommandTrace['publish']>[2]>[0];

/**
 * Traces commands by the messaging conventions of OpenTelemetry: a `process` span from delivery to acknowledgement, and
 * in it a `publish` span for each message that the command leads to. No attribute holds data of a command.
 */
class CommandTraces extends CommandTracer {
  constructor(private readonly tracer: Tracer) {
    super();
  }

  start(command: CommandFacts, { queue, bodyBytes, traceparent }: DeliveryFacts): CommandTrace {
    // A tracestate is any text of the caller: copies carry it on, and it is not exported.
    const parent = W3C.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter);
    const attributes: Attributes = {
      ...operation('process', 'process'),
      'messaging.destination.name': queue,
      'messaging.message.id': command.id,
      'messaging.message.conversation_id': command.correlationId,
      'messaging.message.body.size': bodyBytes,
      'pokerbridge.command.type': command.type,
      'pokerbridge.operator': command.operator,
    };
    const span = this.tracer.startSpan(`process ${queue}`, { kind: SpanKind.CONSUMER, attributes }, parent);
    return new TracedCommand(this.tracer, span, trace.setSpan(parent, span));
  }
}

class TracedCommand implements CommandTrace {
  constructor(
    private readonly tracer: Tracer,
    private readonly span: Span,
    readonly context: Context,
  ) {}

  get traceId(): string {
    return this.span.spanContext().traceId;
  }

  async publish<T>(kind: MessageKind, message: Message, send: (message: Message) => Promise<T>): Promise<T> {
    const destination = kind === 'reply' ? REPLY_TO : message.exchange || message.routingKey;
    const attributes: Attributes = {
      ...operation('publish', 'send'),
      [kind === 'reply' ? 'messaging.destination.template' : 'messaging.destination.name']: destination,
      'messaging.message.body.size': message.content.length,
      ...(message.properties.messageId && { 'messaging.message.id': message.properties.messageId }),
      // The type of a copy is a text of its caller.
      ...(kind !== 'copy' && { 'pokerbridge.message.type': message.properties.type }),
    };
    const options = { kind: SpanKind.PRODUCER, attributes };
    const span = this.tracer.startSpan(`publish ${destination}`, options, this.context);
    try {
      const outcome = await send(withContext(message, trace.setSpan(this.context, span)));
      // The broker's answer, where there is a choice of them.
      if (typeof outcome === 'string' && outcome !== 'confirmed') fail(span, outcome);
      return outcome;
    } catch (error) {
      fail(span, 'unconfirmed');
      throw error;
    } finally {
      span.end();
    }
  }

  end({ settlement, code, cause, attempts }: CommandEnd): void {
    const outcome = code ?? (settlement === 'answer' ? 'success' : undefined);
    this.span.setAttributes({
      'pokerbridge.settlement': settlement,
      'pokerbridge.attempts': attempts,
      ...(outcome !== undefined && { 'pokerbridge.outcome': outcome }),
      ...(cause !== undefined && { 'pokerbridge.cause': cause }),
    });
    if (code !== undefined || settlement === 'return') fail(this.span, code ?? settlement);
    this.span.end();
  }
}

function operation(name: 'process' | 'publish', type: 'process' | 'send'): Attributes {
  return {
    'messaging.system.name': 'rabbitmq',
    'messaging.operation.name': name,
    'messaging.operation.type': type,
  };
}

/** Only if the command came with one: a reply has a `traceparent` if its command had. */
function withContext(message: Message, context: Context): Message {
  if (message.properties.headers['traceparent'] === undefined) return message;
  const headers = { ...message.properties.headers };
  W3C.inject(context, headers, defaultTextMapSetter);
  return { ...message, properties: { ...message.properties, headers } };
}

/**
 * Traces each attempt of a call by the HTTP conventions of OpenTelemetry. Its address is given without query, and without
 * the values in its path; the platform is sent nothing of the trace.
 */
class PlatformTraces extends PlatformTracer {
  constructor(private readonly tracer: Tracer) {
    super();
  }

  start(parent: Context, { method, root, pathTemplate, resends }: AttemptFacts): AttemptTrace {
    const attributes: Attributes = {
      'http.request.method': method,
      ...serverOf(root),
      'url.full': root + pathTemplate.replace(VALUE, 'REDACTED'),
      'url.template': pathTemplate,
      ...(resends > 0 && { 'http.request.resend_count': resends }),
    };
    const options = { kind: SpanKind.CLIENT, attributes };
    const span = this.tracer.startSpan(`${method} ${pathTemplate}`, options, parent);
    const end = (result: AttemptResult, status: number | undefined): void => {
      if (status !== undefined) span.setAttribute('http.response.status_code', status);
      if (status === undefined) fail(span, result);
      else if (status >= 400) fail(span, String(status));
      span.end();
    };
    return { end };
  }
}

function serverOf(root: string): Attributes {
  const { hostname, port, protocol } = new URL(root);
  return { 'server.address': hostname, 'server.port': Number(port) || PORTS[protocol] };
}

/** Marks a span as failed. @param type one of a closed list */
function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
