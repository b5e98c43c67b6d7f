import type { PlannedFaults } from '../faults/fault-rules.ts';
import { type Operation, OPERATIONS } from '../interface/documents.ts';
import { type Exchange, OperationCounters, type SandboxRequest } from './exchange.ts';

const KEPT_REQUESTS = 100;
const KEPT_REFUSED = 30;
const MAX_BODY_CHARACTERS = 4096;
export const REDACTED = '[redacted]';
// a signature in the wrong place is still a signature: in a query, a form or JSON, whose end may have been cut off
const IN_FORM = /(^|[?&])(sign|access-token)=[^&]*/gi;
const IN_JSON = /("(?:sign|access-token)"\s*:\s*)(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|[^\s,}\]"]+)/gi;
const TOKEN = /"auth":"([^"]+)"/;
const SECRET_HEADERS = new Set(['sign', 'authorization', 'proxy-authorization', 'cookie']);

/** Counts requests, and keeps the last ones for inspection. */
export class TrafficLog {
  readonly counters = emptyCounters();
  /** The newest first. */
  private readonly ended: Exchange[] = [];
  /** Refused and unanswered requests have a list of their own, because others would soon push them out. */
  private readonly failed: Exchange[] = [];

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
    if (this.ended.unshift(exchange) > KEPT_REQUESTS) this.ended.pop();
    if (hasFailed(exchange) && this.failed.unshift(exchange) > KEPT_REFUSED) this.failed.pop();
  }

  /** The last requests that ended, at most 100, the newest first. They still hold their signatures. */
  newest(count = KEPT_REQUESTS): readonly Exchange[] {
    return this.ended.slice(0, count);
  }

  /** The last requests that were refused or not answered, at most 30, the newest first. */
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
    answer: exchange.answer,
  };
}

/** The beginning of an answer's body, without the token of a session: in `auth`, and in the id and the URL that repeat it. */
export function shownAnswer(body: string): string {
  const [, token] = TOKEN.exec(body) ?? [];
  const shown = token === undefined ? body : body.replaceAll(token, REDACTED);
  return shown.slice(0, MAX_BODY_CHARACTERS);
}

function redactParameter(text: string): string {
  return text.replace(IN_FORM, `$1$2=${REDACTED}`).replace(IN_JSON, `$1"${REDACTED}"`);
}
