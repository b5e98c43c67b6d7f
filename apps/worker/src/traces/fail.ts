import { type Span, SpanStatusCode } from '@opentelemetry/api';

/** Marks a span as failed. @param type one of a closed list */
export function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
