import type { PlannedFaults } from '../faults/fault-rules.ts';
import { type Operation, OPERATIONS } from '../interface/documents.ts';
import type { Exchange, OperationCounters, SandboxRequest } from './exchange.ts';

const KEPT_REQUESTS = 100;
const MAX_BODY_CHARACTERS = 4096;
export const REDACTED = '[redacted]';
const SECRET_HEADERS = new Set(['sign', 'authorization', 'proxy-authorization', 'cookie']);

/** Counts requests, and keeps the last ones for inspection. */
export class TrafficLog {
  counters = emptyCounters();
  private ended: Exchange[] = [];

  begin(request: SandboxRequest, operation: Operation, planned: PlannedFaults): Exchange {
    const counters = this.counters[operation];
    counters.received++;
    for (const kind of planned.kinds) increment(counters.faults, kind);
    // not the request itself, which would keep its socket alive
    const { method, originalUrl: url, headersDistinct: headers } = request;
    const receivedAtMs = performance.timeOrigin + performance.now();
    const reason = 'The request was answered before its signature was looked at.';
    const verdict = { state: 'not looked at', reason } as const;
    const body = Buffer.alloc(0);
    return { operation, method, url, headers, receivedAtMs, planned, counters, body, verdict };
  }

  end(exchange: Exchange): void {
    const { counters, status, receivedAtMs } = exchange;
    if (status === undefined) counters.unanswered++;
    else increment(counters.answered, String(status));
    exchange.durationMs = performance.timeOrigin + performance.now() - receivedAtMs;
    this.ended.push(exchange);
    if (this.ended.length >= 2 * KEPT_REQUESTS) this.ended = this.ended.slice(-KEPT_REQUESTS);
  }

  /** The last requests that ended as they are kept, with their signatures, the newest first; at most 100. */
  newest(count = KEPT_REQUESTS): readonly Exchange[] {
    return this.ended.slice(-Math.min(count, KEPT_REQUESTS)).reverse();
  }

  clear(): void {
    this.counters = emptyCounters();
    this.ended = [];
  }
}

function emptyCounters() {
  const none = () => ({ received: 0, processed: 0, answered: {}, unanswered: 0, faults: {} });
  const counters = OPERATIONS.map((operation) => [operation, none()]);
  return Object.fromEntries(counters) as Record<Operation, OperationCounters>;
}

function increment(counters: Record<string, number>, name: string): void {
  counters[name] = (counters[name] ?? 0) + 1;
}

/**
 * A request as the control API shows it: the signature and credentials redacted, a long body cut, and no status if it
 * ended without a complete answer.
 */
export function describeRequest(exchange: Exchange) {
  const { operation, method, url, body, status, durationMs = 0, planned } = exchange;
  const headers = Object.entries(exchange.headers).map(([name, values = []]) => [
    name,
    SECRET_HEADERS.has(name) ? REDACTED : values.join(', '),
  ]);
  return {
    receivedAt: new Date(exchange.receivedAtMs).toISOString(),
    operation,
    method,
    url: redactParameter(url),
    headers: Object.fromEntries(headers) as Readonly<Record<string, string>>,
    body: redactParameter(body.toString().slice(0, MAX_BODY_CHARACTERS)),
    status,
    durationMs: Math.round(durationMs * 10) / 10,
    faults: planned.kinds,
  };
}

// A signature in the wrong place is still a signature: in a query, a form or JSON, whose end may have been cut off.
function redactParameter(text: string): string {
  return text
    .replace(/(^|[?&])(sign|access-token)=[^&]*/gi, `$1$2=${REDACTED}`)
    .replace(
      /("(?:sign|access-token)"\s*:\s*)(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|[^\s,}\]"]+)/gi,
      `$1"${REDACTED}"`,
    );
}
