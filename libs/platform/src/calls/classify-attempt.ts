import { type AttemptOutcome, type Health, parseRetryAfter } from '#resilience';

import type { AttemptResult } from '../platform-observer.ts';
import { type Answer, statusClass } from '../transport/answer.ts';
import type { ExchangeEnd } from '../transport/exchange.ts';
import type { TransportFault } from '../transport/transport-fault.ts';

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

/** @param nowMs the time of day, since `Retry-After` may be a date */
export function classifyAttempt(end: ExchangeEnd, nowMs: number): ClassifiedAttempt {
  if (end.kind !== 'answer') return classifyFault(end);
  const { status } = end.answer;
  return status === PROXY_AUTHENTICATION_REQUIRED
    ? classifyFault({ kind: 'not-sent', fault: 'proxy-refused', proxyStatus: status })
    : classifyAnswer(end.answer, nowMs);
}

/** 4xx says nothing about the platform's health, and neither does a redirect. Source: bus contract, section 5. */
function classifyAnswer(answer: Answer, nowMs: number): ClassifiedAttempt {
  const result = statusClass(answer.status);
  if (result === '2xx') return { outcome: { kind: 'answered', answer }, health: 'healthy', result };
  if (result !== '5xx' && answer.status !== TOO_MANY_REQUESTS) {
    return { outcome: { kind: 'answered', answer }, health: 'ignored', result };
  }
  const retryAfterMs = parseRetryAfter(answer.retryAfter, nowMs);
  const fault: Fault = { kind: 'answer', answer, retryAfterMs };
  const health = result === '5xx' ? 'unhealthy' : 'ignored';
  return { outcome: { kind: 'transient', fault, retryAfterMs }, health, result };
}

function classifyFault({
  kind,
  fault: transportFault,
  proxyStatus,
}: Exclude<ExchangeEnd, { kind: 'answer' }>): ClassifiedAttempt {
  const fault: Fault = { kind: 'transport', fault: transportFault, proxyStatus };
  const health = transportFault === 'closed' ? 'ignored' : 'unhealthy';
  return {
    outcome: { kind: kind === 'lost' ? 'unknown' : 'not-sent', fault },
    health,
    result: transportFault,
  };
}
