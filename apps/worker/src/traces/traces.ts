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

import type { CommandTrace, CommandTracer } from '#messaging';
import type { PlatformTracer } from '#platform';
import type { TracingSettings } from '#settings';
import type { Logger } from '#telemetry';

import { exportTraces } from './export-traces.ts';

const W3C = new W3CTraceContextPropagator();
/** Placeholder for reply queues of callers, whose names may be confidential. */
const REPLY_TO = '{reply_to}';
const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };
const VALUE = /\{\w+\}/g;

export type Traces = ReturnType<typeof openTraces>;

/** Creates OpenTelemetry tracers that export spans according to the settings. */
export function openTraces(settings: TracingSettings, logger: Logger) {
  const { tracer, close } = exportTraces(settings, logger);
  return { commands: commandTracer(tracer), platform: platformTracer(tracer), close };
}

/**
 * Traces commands according to the messaging conventions of OpenTelemetry: a `process` span from delivery to
 * acknowledgement, with a child `publish` span for each message published for the command. No attribute
 * contains command data.
 */
function commandTracer(tracer: Tracer): CommandTracer {
  return {
    start: (command, { queue, bodyBytes, traceparent }) => {
      // The caller chooses the text of a tracestate, so it is not exported; copies of the message still
      // contain it.
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
      const span = tracer.startSpan(`process ${queue}`, { kind: SpanKind.CONSUMER, attributes }, parent);
      return traceOf(tracer, span, trace.setSpan(parent, span));
    },
  };
}

function traceOf(tracer: Tracer, span: Span, context: Context): CommandTrace {
  return {
    traceId: span.spanContext().traceId,
    context,
    publish: async (kind, message, send) => {
      const destination = kind === 'reply' ? REPLY_TO : message.exchange || message.routingKey;
      const { messageId, type } = message.properties;
      const attributes: Attributes = {
        ...operation('publish', 'send'),
        [kind === 'reply' ? 'messaging.destination.template' : 'messaging.destination.name']: destination,
        'messaging.message.body.size': message.content.length,
        ...(messageId && { 'messaging.message.id': messageId }),
        // The caller chooses the type of a copy, so it is not exported.
        ...(kind !== 'copy' && { 'pokerbridge.message.type': type }),
      };
      const options = { kind: SpanKind.PRODUCER, attributes };
      const publishing = tracer.startSpan(`publish ${destination}`, options, context);
      try {
        const outcome = await send(withContext(message, trace.setSpan(context, publishing)));
        // The broker's answer, if there are several possible answers.
        if (typeof outcome === 'string' && outcome !== 'confirmed') fail(publishing, outcome);
        return outcome;
      } catch (error) {
        fail(publishing, 'unconfirmed');
        throw error;
      } finally {
        publishing.end();
      }
    },
    end: ({ settlement, code, cause, attempts }) => {
      const outcome = code ?? (settlement === 'answer' ? 'success' : undefined);
      span.setAttributes({
        'pokerbridge.settlement': settlement,
        'pokerbridge.attempts': attempts,
        ...(outcome !== undefined && { 'pokerbridge.outcome': outcome }),
        ...(cause !== undefined && { 'pokerbridge.cause': cause }),
      });
      if (code !== undefined || settlement === 'return') fail(span, code ?? settlement);
      span.end();
    },
  };
}

function operation(name: 'process' | 'publish', type: 'process' | 'send'): Attributes {
  return {
    'messaging.system.name': 'rabbitmq',
    'messaging.operation.name': name,
    'messaging.operation.type': type,
  };
}

type Message = Parameters<Parameters<CommandTrace['publish']>[2]>[0];

/** Set only if the command carried a `traceparent`. */
function withContext(message: Message, context: Context): Message {
  if (message.properties.headers['traceparent'] === undefined) return message;
  const headers = { ...message.properties.headers };
  W3C.inject(context, headers, defaultTextMapSetter);
  return { ...message, properties: { ...message.properties, headers } };
}

/**
 * Traces each attempt of a call according to the HTTP conventions of OpenTelemetry. The URL is recorded
 * without its query and without path values. No trace context is sent to the platform.
 */
function platformTracer(tracer: Tracer): PlatformTracer {
  return {
    attemptEnded: (parent, attempt) => {
      const { method, root, pathTemplate, resends, startedAtMs: startTime, result, status } = attempt;
      const { hostname, port, protocol } = new URL(root);
      const attributes: Attributes = {
        'http.request.method': method,
        'server.address': hostname,
        'server.port': Number(port) || PORTS[protocol],
        'url.full': root + pathTemplate.replace(VALUE, 'REDACTED'),
        'url.template': pathTemplate,
        ...(resends > 0 && { 'http.request.resend_count': resends }),
      };
      const options = { kind: SpanKind.CLIENT, attributes, startTime };
      const span = tracer.startSpan(`${method} ${pathTemplate}`, options, parent);
      if (status !== undefined) span.setAttribute('http.response.status_code', status);
      if (status === undefined || status >= 400) fail(span, status === undefined ? result : `${status}`);
      span.end();
    },
  };
}

/** Marks a span as failed. @param type error type, one of a closed list */
function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
