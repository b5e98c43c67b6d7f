import { type AttemptOutcome, type Health, parseRetryAfter } from '#resilience';

import type { AttemptResult } from '../platform-observer.ts';
import { type Answer, type ExchangeEnd, statusClass, type TransportFault } from '../transport/exchange.ts';

/** Why an attempt failed. */
export type Fault =
  | { readonly kind: 'answer'; readonly answer: Answer; readonly retryAfterMs: number | undefined }
  | {
      readonly kind: 'transport';
      readonly fault: TransportFault;
      /** What a proxy answered instead of connecting. */
      readonly proxyStatus: number | undefined;
    }
  | { readonly kind: 'circuit-open'; readonly retryAfterMs: number; readonly cause: string | undefined }
  | { readonly kind: 'overloaded' }
  | { readonly kind: 'closed' };

export type Outcome = AttemptOutcome<Answer, Fault>;

/** An attempt as the call, the circuit and the observer see it. */
export interface ClassifiedAttempt {
  readonly outcome: Outcome;
  readonly health: Health;
  readonly result: AttemptResult;
}

/** The deadline cut the attempt off, which says nothing about the platform. */
export const CUT_OFF: ClassifiedAttempt = {
  outcome: { kind: 'expired' },
  health: 'ignored',
  result: 'deadline',
};

const TOO_MANY_REQUESTS = 429;
/** Said by a proxy that has passed nothing on. */
const PROXY_AUTHENTICATION_REQUIRED = 407;

/**
 * @param nowMs the time of day, since `Retry-After` may be a date
 * @param isProxied whether a proxy may have answered
 */
export function classifyAttempt(end: ExchangeEnd, nowMs: number, isProxied: boolean): ClassifiedAttempt {
  if (end.kind !== 'answer') return classifyFault(end.kind, end.fault, end.proxyStatus);
  const { answer } = end;
  const { status } = answer;
  if (isProxied && status === PROXY_AUTHENTICATION_REQUIRED)
    return classifyFault('not-sent', 'proxy-refused', status);
  const result = statusClass(status);
  if (result === '2xx') return { outcome: { kind: 'answered', answer }, health: 'healthy', result };
  // 4xx says nothing about the platform's health, and neither does a redirect. Source: bus contract, section 5.
  const health = result === '5xx' ? 'unhealthy' : 'ignored';
  if (result !== '5xx' && status !== TOO_MANY_REQUESTS) {
    return { outcome: { kind: 'answered', answer }, health, result };
  }
  // A proxy may have added another one.
  const retryAfterMs = parseRetryAfter([answer.headers['retry-after']].flat()[0], nowMs);
  const fault: Fault = { kind: 'answer', answer, retryAfterMs };
  return { outcome: { kind: 'transient', fault, retryAfterMs }, health, result };
}

function classifyFault(
  kind: 'not-sent' | 'lost',
  result: TransportFault,
  proxyStatus: number | undefined,
): ClassifiedAttempt {
  const fault: Fault = { kind: 'transport', fault: result, proxyStatus };
  return {
    outcome: { kind: kind === 'lost' ? 'unknown' : 'not-sent', fault },
    health: result === 'closed' ? 'ignored' : 'unhealthy',
    result,
  };
}
