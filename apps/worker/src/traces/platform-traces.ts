import { type Attributes, type Context, type Span, SpanKind, type Tracer } from '@opentelemetry/api';

import { type AttemptFacts, type AttemptResult, type AttemptTrace, PlatformTracer } from '#platform';

import { fail } from './fail.ts';

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };
const VALUE = /\{\w+\}/g;

/**
 * Traces each attempt of a call by the HTTP conventions of OpenTelemetry. Its address is given without query, and without
 * the values in its path; the platform is sent nothing of the trace.
 */
export class PlatformTraces extends PlatformTracer {
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
    return new TracedAttempt(this.tracer.startSpan(`${method} ${pathTemplate}`, options, parent));
  }
}

class TracedAttempt implements AttemptTrace {
  constructor(private readonly span: Span) {}

  end(result: AttemptResult, status: number | undefined): void {
    if (status !== undefined) this.span.setAttribute('http.response.status_code', status);
    if (status === undefined) fail(this.span, result);
    else if (status >= 400) fail(this.span, String(status));
    this.span.end();
  }
}

function serverOf(root: string): Attributes {
  const { hostname, port, protocol } = new URL(root);
  return { 'server.address': hostname, 'server.port': Number(port) || PORTS[protocol] };
}
