import { kindsOf } from '../faults/fault-rules.ts';
import { type Operation, OPERATIONS } from '../interface/documents.ts';
import type { Exchange, SandboxRequest } from './exchange.ts';

const MAX_BODY_CHARACTERS = 4096;
const REDACTED = '[redacted]';
const SECRET_HEADERS = new Set(['sign', 'authorization', 'proxy-authorization', 'cookie']);

export interface FinishedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  readonly exchange: Exchange;
  readonly status: number | undefined;
  readonly durationMs: number;
}

/**
 * A request as the control API shows it: the signature and credentials redacted, a long body cut, and no status if it
 * ended without a complete answer.
 */
export function describeRequest(request: FinishedRequest) {
  const { method, url, exchange, status, durationMs } = request;
  const headers = Object.entries(request.headers).map(([name, values = []]) => [
    name,
    SECRET_HEADERS.has(name) ? REDACTED : values.join(', '),
  ]);
  return {
    receivedAt: new Date(exchange.receivedAtMs).toISOString(),
    operation: exchange.operation,
    method,
    url: redactParameter(url),
    headers: Object.fromEntries(headers) as Readonly<Record<string, string>>,
    body: redactParameter(exchange.body.toString().slice(0, MAX_BODY_CHARACTERS)),
    ...(status !== undefined && { status }),
    durationMs: Math.round(durationMs * 10) / 10,
    faults: kindsOf(exchange.planned),
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

const KEPT_REQUESTS = 100;

export interface OperationCounters {
  received: number;
  /** The platform processed the request, even if the answer was lost. */
  processed: number;
  /** Complete answers by status. */
  answered: Record<string, number>;
  /** Requests that ended without a complete answer: reset, cut off, or abandoned by their sender. */
  unanswered: number;
  faults: Record<string, number>;
}

/** Counts requests, and keeps the last ones for inspection. */
export class TrafficLog {
  private byOperation = emptyCounters();
  private recent: FinishedRequest[] = [];

  received({ operation, planned }: Exchange): void {
    const counters = this.byOperation[operation];
    counters.received++;
    for (const kind of kindsOf(planned)) increment(counters.faults, kind);
  }

  processed(operation: Operation): void {
    this.byOperation[operation].processed++;
  }

  /** @param status of the answer, or undefined if it was missing or incomplete */
  finished(request: SandboxRequest, exchange: Exchange, status: number | undefined, nowMs: number): void {
    const counters = this.byOperation[exchange.operation];
    if (status === undefined) counters.unanswered++;
    else increment(counters.answered, String(status));

    // not the request itself, which would keep its socket alive
    const { method, originalUrl: url, headersDistinct: headers } = request;
    const durationMs = nowMs - exchange.receivedAtMs;
    this.recent.push({ method, url, headers, exchange, status, durationMs });
    if (this.recent.length >= 2 * KEPT_REQUESTS) this.recent = this.recent.slice(-KEPT_REQUESTS);
  }

  counters(): Readonly<Record<Operation, OperationCounters>> {
    return this.byOperation;
  }

  /** The last requests that ended, the newest first; at most 100. */
  last(): readonly ReturnType<typeof describeRequest>[] {
    return this.newest(KEPT_REQUESTS).map(describeRequest);
  }

  /** The last requests that ended as they are kept, with their signatures, the newest first; at most 100. */
  newest(count: number): readonly FinishedRequest[] {
    return this.recent.slice(-Math.min(count, KEPT_REQUESTS)).reverse();
  }

  clear(): void {
    this.byOperation = emptyCounters();
    this.recent = [];
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
