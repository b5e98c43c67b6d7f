import { CommandError, type CommandErrorFacts } from '#contracts';
import type { CallEnd } from '#resilience';

import { readBody } from '../answers/read-body.ts';
import type { CallContext } from '../call-context.ts';
import { classifyError } from '../errors/classify-error.ts';
import { platformAnswer } from '../errors/platform-answer.ts';
import { readErrors } from '../errors/read-errors.ts';
import { type Operation, OPERATION_TRAITS } from '../operations.ts';
import { type Answer, statusClass } from '../transport/answer.ts';
import type { Fault } from './judge.ts';

export interface CallFacts {
  readonly operation: Operation;
  readonly call: CallContext;
  /** 0 while the circuit would let a call through. */
  readonly circuitRetryAfterMs: number;
  /** No error may repeat any of it. */
  readonly untold: readonly unknown[];
}

const MAX_ERROR_TEXT = 64 * 1024;

/**
 * The success that a call ended with.
 *
 * @throws CommandError for every other end
 */
export function conclude({ outcome, history }: CallEnd<Answer, Fault>, facts: CallFacts): Answer {
  // What an earlier attempt may have done can be the reason for what the last one was told.
  const earlier = history.unknown > 0 ? { earlierAttemptUnknown: true } : undefined;
  const retryAfterMs = facts.circuitRetryAfterMs || undefined;
  switch (outcome.kind) {
    case 'answered':
      if (statusClass(outcome.answer.status) === '2xx') return outcome.answer;
      throw answeredError(outcome.answer, facts, { details: earlier });
    case 'expired':
      throw new CommandError('COMMAND_EXPIRED', { details: { called: facts.call.attempts > 0 } });
    case 'unknown':
      throw new CommandError(OPERATION_TRAITS[facts.operation].unknownCode, {
        retryAfterMs,
        details: reasonOf(outcome.fault),
      });
    case 'not-sent':
      throw new CommandError('PLATFORM_UNAVAILABLE', { retryAfterMs, details: reasonOf(outcome.fault) });
    case 'passing':
    case 'held-back':
      throw faultError(outcome.fault, facts, { retryAfterMs, details: earlier });
  }
}

function faultError(fault: Fault, facts: CallFacts, known: CommandErrorFacts): CommandError {
  switch (fault.kind) {
    case 'answer':
      return answeredError(fault.answer, facts, {
        ...known,
        retryAfterMs: fault.retryAfterMs ?? known.retryAfterMs,
      });
    case 'circuit-open':
      return new CommandError('CIRCUIT_OPEN', { retryAfterMs: fault.retryAfterMs });
    case 'overloaded':
      return new CommandError('OVERLOADED');
    case 'transport':
    case 'closed':
      return new CommandError('PLATFORM_UNAVAILABLE', { details: reasonOf(fault) });
  }
}

function answeredError(
  answer: Answer,
  { operation, untold }: CallFacts,
  known: CommandErrorFacts,
): CommandError {
  const body = readBody(answer, MAX_ERROR_TEXT);
  const entries = body.kind === 'text' ? readErrors(body.text) : [];
  const { code, details } = classifyError(answer.status, operation, entries);
  const platform = platformAnswer(answer.status, entries, untold);
  const isSaying = details !== undefined || known.details !== undefined;
  return new CommandError(code, {
    ...known,
    platform,
    details: isSaying ? { ...details, ...known.details } : undefined,
  });
}

function reasonOf(fault: Fault): CommandErrorFacts['details'] {
  return { reason: fault.kind === 'transport' ? fault.fault : fault.kind };
}
