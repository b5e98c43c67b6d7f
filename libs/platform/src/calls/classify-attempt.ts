import type { CommandError } from '#contracts';
import { type AttemptOutcome, type Health, parseRetryAfter } from '#resilience';

import type { AttemptResult } from '../platform-observer.ts';
import { type Answer, type ExchangeEnd, statusClass, type Unanswered } from '../transport/exchange.ts';

export type Outcome = AttemptOutcome<Answer, Unanswered, CommandError>;

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
  if (end.kind !== 'answer') return classifyUnanswered(end);
  const { answer } = end;
  const { status } = answer;
  if (isProxied && status === PROXY_AUTHENTICATION_REQUIRED) {
    return classifyUnanswered({ kind: 'not-sent', fault: 'proxy-refused', proxyStatus: status });
  }
  const result = statusClass(status);
  if (result === '2xx') return { outcome: { kind: 'answered', answer }, health: 'healthy', result };
  // 4xx says nothing about the platform's health, and neither does a redirect. Source: bus contract, section 5.
  const health = result === '5xx' ? 'unhealthy' : 'ignored';
  if (result !== '5xx' && status !== TOO_MANY_REQUESTS) {
    return { outcome: { kind: 'answered', answer }, health, result };
  }
  // A proxy may have added another one.
  const retryAfterMs = parseRetryAfter([answer.headers['retry-after']].flat()[0], nowMs);
  return { outcome: { kind: 'transient', answer, retryAfterMs }, health, result };
}

function classifyUnanswered(end: Unanswered): ClassifiedAttempt {
  return { outcome: { kind: end.kind, fault: end }, health: 'unhealthy', result: end.fault };
}
