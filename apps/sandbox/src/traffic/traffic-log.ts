import { kindsOf } from '../faults/fault-rules.ts';
import type { Exchange, SandboxRequest } from './exchange.ts';
import { OPERATIONS, type Operation } from '../interface/operation.ts';
import { describeRequest, type FinishedRequest, type RequestDescription } from './describe-request.ts';

const KEPT_REQUESTS = 100;

/** Counters of one operation. */
export interface OperationCounters {
  received: number;
  /** The platform processed the request, even if the answer was lost. */
  processed: number;
  /** Complete answers by status. */
  answered: Record<string, number>;
  /** Requests that ended without a complete answer: reset, cut off, or abandoned by their sender. */
  unanswered: number;
  /** Injected faults, by kind. */
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
    const { method, originalUrl: url, rawHeaders } = request;
    this.recent.push({
      method,
      url,
      rawHeaders,
      exchange,
      status,
      durationMs: nowMs - exchange.receivedAtMs,
    });
    if (this.recent.length >= 2 * KEPT_REQUESTS) this.recent = this.recent.slice(-KEPT_REQUESTS);
  }

  counters(): Readonly<Record<Operation, OperationCounters>> {
    return this.byOperation;
  }

  /** The last requests that ended, the newest first; at most 100. */
  last(): readonly RequestDescription[] {
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

function emptyCounters(): Record<Operation, OperationCounters> {
  const none = () => ({ received: 0, processed: 0, answered: {}, unanswered: 0, faults: {} });
  return Object.fromEntries(OPERATIONS.map((operation) => [operation, none()])) as Record<
    Operation,
    OperationCounters
  >;
}

function increment(counters: Record<string, number>, name: string): void {
  counters[name] = (counters[name] ?? 0) + 1;
}
