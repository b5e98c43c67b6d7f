import { type Health, readRetryAfter } from '#resilience';

import type { AttemptResult, RefusalReason } from '../platform-observer.ts';
import { type End, statusClass } from '../transport/connection.ts';

/** How an attempt, and so its call, ended. */
export type CallOutcome =
  | End
  | { readonly kind: 'rejected'; readonly reason: Exclude<RefusalReason, 'expired'> }
  /** `unansweredMs`: how long the call had been without an answer at the deadline; undefined if it was not made. */
  | { readonly kind: 'expired'; readonly unansweredMs?: number };

const TOO_MANY_REQUESTS = 429;
/** Said by a proxy that has passed nothing on. */
const PROXY_AUTHENTICATION_REQUIRED = 407;

/** @param isProxied whether a proxy may have answered */
export function classifyAttempt(end: End, isProxied: boolean): End {
  if ('fault' in end) return end;
  const { status } = end;
  if (isProxied && status === PROXY_AUTHENTICATION_REQUIRED) {
    return { kind: 'not-sent', fault: 'proxy-refused', proxyStatus: status };
  }
  if (status < 500 && status !== TOO_MANY_REQUESTS) return end;
  return { ...end, kind: 'transient', retryAfterMs: readRetryAfter(status, end.headers, Date.now()) };
}

/** An attempt that was made, as metrics show it. */
export function resultOf(outcome: Exclude<CallOutcome, { kind: 'rejected' }>): AttemptResult {
  if (outcome.kind === 'expired') return 'deadline';
  return 'fault' in outcome ? outcome.fault : statusClass(outcome.status);
}

/** 4xx says nothing about the platform's health, and neither does a redirect. Source: bus contract, section 5. */
export function healthOf(result: AttemptResult): Health {
  if (result === '2xx') return 'healthy';
  return ['3xx', '4xx', 'deadline'].includes(result) ? 'ignored' : 'unhealthy';
}
