import { createRequire } from 'node:module';

import type * as api from '@opentelemetry/api';

import type { TraceContext } from './call-options.ts';

type OpenTelemetry = typeof api;

const openTelemetry = load();

/**
 * The trace of the span that is active in a service with OpenTelemetry, so that what the worker does is part of it. Empty
 * without such a span, and in a service that has not installed `@opentelemetry/api`.
 */
export function activeTraceContext(): TraceContext {
  if (!openTelemetry) return {};
  const { context, isSpanContextValid, trace } = openTelemetry;
  const span = trace.getSpanContext(context.active());
  if (!span || !isSpanContextValid(span)) return {};
  const flags = span.traceFlags.toString(16).padStart(2, '0');
  const tracestate = span.traceState?.serialize();
  return { traceparent: `00-${span.traceId}-${span.spanId}-${flags}`, ...(tracestate ? { tracestate } : {}) };
}

/** An import that may fail would make this module asynchronous, and unusable by `require`. */
function load(): OpenTelemetry | undefined {
  try {
    return createRequire(import.meta.url)('@opentelemetry/api') as OpenTelemetry;
  } catch {
    return undefined;
  }
}
