import { type AttemptOutcome, type Clock, type Health, parseRetryAfter } from '#resilience';

import type { AttemptResult } from '../platform-observer.ts';
import { type Answer, statusClass } from '../transport/answer.ts';
import type { ExchangeEnd } from '../transport/exchange.ts';
import type { TransportFault } from '../transport/transport-fault.ts';

/** Why an attempt failed. */
export type Fault =
  | { readonly kind: 'answer'; readonly answer: Answer; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'transport'; readonly fault: TransportFault }
  | { readonly kind: 'circuit-open'; readonly retryAfterMs: number }
  | { readonly kind: 'overloaded' }
  | { readonly kind: 'closed' };

export type Outcome = AttemptOutcome<Answer, Fault>;

/** What an exchange means to the call, to the circuit, and to whoever watches. */
export interface Judgement {
  readonly outcome: Outcome;
  readonly health: Health;
  readonly result: AttemptResult;
}

/** The deadline cut the exchange off, which says nothing about the platform. */
export const CUT_OFF: Judgement = {
  outcome: { kind: 'expired' },
  health: 'ignored',
  result: 'deadline',
};

const TOO_MANY_REQUESTS = 429;

export function judge(end: ExchangeEnd, clock: Clock): Judgement {
  return end.kind === 'answer' ? judgeAnswer(end.answer, clock) : judgeFault(end.kind, end.fault);
}

/** 4xx says nothing about the platform's health, and neither does a redirect. Source: bus contract, section 5. */
function judgeAnswer(answer: Answer, clock: Clock): Judgement {
  const result = statusClass(answer.status);
  if (result === '2xx') return { outcome: { kind: 'answered', answer }, health: 'healthy', result };
  if (result !== '5xx' && answer.status !== TOO_MANY_REQUESTS) {
    return { outcome: { kind: 'answered', answer }, health: 'ignored', result };
  }
  const retryAfterMs = parseRetryAfter(answer.retryAfter, clock());
  const fault: Fault = { kind: 'answer', answer, retryAfterMs };
  const health = result === '5xx' ? 'unhealthy' : 'ignored';
  return { outcome: { kind: 'passing', fault, retryAfterMs }, health, result };
}

function judgeFault(kind: 'not-sent' | 'lost', transportFault: TransportFault): Judgement {
  const fault: Fault = { kind: 'transport', fault: transportFault };
  const health = transportFault === 'closed' ? 'ignored' : 'unhealthy';
  const outcome: Outcome = { kind: kind === 'lost' ? 'unknown' : 'not-sent', fault };
  return { outcome, health, result: transportFault };
}
