import type { PlannedFaults } from '../faults/fault-rules.ts';
import { type Operation, OPERATIONS } from '../interface/documents.ts';
import { type Exchange, OperationCounters, type SandboxRequest } from './exchange.ts';

const KEPT_REQUESTS = 100;
const KEPT_REFUSED = 30;
const MAX_BODY_CHARACTERS = 4096;
export const REDACTED = '[redacted]';
// signatures are also redacted in wrong places: in a query, a form or JSON, even if its end was truncated
const IN_FORM = /(^|[?&])(sign|access-token)=[^&]*/gi;
const IN_JSON = /("(?:sign|access-token)"\s*:\s*)(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|[^\s,}\]"]+)/gi;
const TOKEN = /"auth":"([^"]+)"/;
const SECRET_HEADERS = new Set(['sign', 'authorization', 'proxy-authorization', 'cookie']);

/** Counts requests, and keeps the last ones for inspection. */
export class TrafficLog {
  readonly counters = emptyCounters();
  private readonly ended: Exchange[] = [];
  /**
   * Refused and unanswered requests have a separate list, because successful requests would soon displace
   * them.
   */
  private readonly failed: Exchange[] = [];

  begin(request: SandboxRequest, operation: Operation, planned: PlannedFaults): Exchange {
    const counters = this.counters[operation];
    counters.received++;
    for (const kind of planned.kinds) increment(counters.faults, kind);
    // a copy, because the request itself would keep its socket in memory
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
    if (this.ended.unshift(exchange) > KEPT_REQUESTS) this.ended.pop();
    if (hasFailed(exchange) && this.failed.unshift(exchange) > KEPT_REFUSED) this.failed.pop();
  }

  /** Returns at most the last 100 completed requests, newest first. They still contain their signatures. */
  newest(count = KEPT_REQUESTS): readonly Exchange[] {
    return this.ended.slice(0, count);
  }

  /** Returns at most the last 30 refused or unanswered requests, newest first. */
  newestFailed(): readonly Exchange[] {
    return [...this.failed];
  }

  clear(): void {
    Object.assign(this.counters, emptyCounters());
    this.ended.length = 0;
    this.failed.length = 0;
  }
}

export function hasFailed({ status }: Exchange): boolean {
  return status === undefined || status >= 400;
}

function emptyCounters() {
  const counters = OPERATIONS.map((operation) => [operation, new OperationCounters()]);
  return Object.fromEntries(counters) as Record<Operation, OperationCounters>;
}

function increment(counters: Record<string, number>, name: string): void {
  counters[name] = (counters[name] ?? 0) + 1;
}

/**
 * Returns a request for the control API: with the signature and credentials redacted, a long body truncated,
 * and no status if it ended without a complete answer.
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
    answer: exchange.answer,
  };
}

/**
 * Returns the beginning of an answer's body, without the token of a session: in `auth`, and in the id and the
 * URL that repeat it.
 */
export function shownAnswer(body: string): string {
  const [, token] = TOKEN.exec(body) ?? [];
  const shown = token === undefined ? body : body.replaceAll(token, REDACTED);
  // a copy, because a slice would keep the complete body in memory
  return Buffer.from(shown.slice(0, MAX_BODY_CHARACTERS)).toString();
}

function redactParameter(text: string): string {
  return text.replace(IN_FORM, `$1$2=${REDACTED}`).replace(IN_JSON, `$1"${REDACTED}"`);
}
