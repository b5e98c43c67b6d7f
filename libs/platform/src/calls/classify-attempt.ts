import { type Health, readRetryAfter } from '#resilience';

import type { AttemptResult, RefusalReason } from '../platform-observer.ts';
import { type End, statusClass } from '../transport/connection.ts';

/** The outcome of an attempt, and therefore of its call. */
export type CallOutcome =
  | End
  | { readonly kind: 'rejected'; readonly reason: Exclude<RefusalReason, 'expired'> }
  /**
   * `unansweredMs`: how long the call had waited for an answer at the deadline; undefined if no request was
   * sent.
   */
  | { readonly kind: 'expired'; readonly unansweredMs?: number };

const TOO_MANY_REQUESTS = 429;
/** Answered by a proxy that has not forwarded the request. */
const PROXY_AUTHENTICATION_REQUIRED = 407;

/** @param isProxied true if a proxy may have answered */
export function classifyAttempt(end: End, isProxied: boolean): End {
  if ('fault' in end) return end;
  const { status } = end;
  if (isProxied && status === PROXY_AUTHENTICATION_REQUIRED) {
    return { kind: 'not-sent', fault: 'proxy-refused', proxyStatus: status };
  }
  if (status < 500 && status !== TOO_MANY_REQUESTS) return end;
  return { ...end, kind: 'transient', retryAfterMs: readRetryAfter(status, end.headers, Date.now()) };
}

/** Returns the result of an attempt for metrics and traces. */
export function resultOf(outcome: Exclude<CallOutcome, { kind: 'rejected' }>): AttemptResult {
  if (outcome.kind === 'expired') return 'deadline';
  return 'fault' in outcome ? outcome.fault : statusClass(outcome.status);
}

/**
 * Returns what a result says about the platform's health; 4xx and redirects are ignored. Source: bus
 * contract, section 5.
 */
export function healthOf(result: AttemptResult): Health {
  if (result === '2xx') return 'healthy';
  return ['3xx', '4xx', 'deadline'].includes(result) ? 'ignored' : 'unhealthy';
}
