import { CommandError, type CommandErrorFacts } from '#contracts';
import type { CallEnd } from '#resilience';

import { readBody } from '../answers/read-body.ts';
import type { CallContext } from '../call-context.ts';
import { classifyError, type ForeignBody } from '../errors/classify-error.ts';
import { readErrors } from '../errors/read-errors.ts';
import { redactedAnswer } from '../errors/redacted-answer.ts';
import { type Operation, OPERATION_TRAITS } from '../operations.ts';
import type { Answer } from '../transport/answer.ts';
import type { TransportFault } from '../transport/transport-fault.ts';
import type { Fault } from './classify-attempt.ts';

export interface CallFacts {
  readonly operation: Operation;
  readonly call: CallContext;
  /** 0 while the circuit would let a call through. */
  readonly circuitRetryAfterMs: number;
  /** Of the command; no error may repeat it. */
  readonly data: object;
  readonly secretKey: string | undefined;
}

const MAX_ERROR_TEXT = 64 * 1024;
/** What is not the platform's fault says so. */
const MESSAGES: Readonly<Partial<Record<TransportFault, string>>> = {
  certificate:
    "The platform's certificate is from an unknown authority, for another host, or expired. Those who run the service " +
    'can name its authority (PLATFORM_TLS_CA).',
  'client-certificate':
    'The platform demands a client certificate, or refuses that of this service. Ask those who run the service ' +
    '(PLATFORM_TLS_CERT).',
  'proxy-unreachable':
    'The proxy to the platform cannot be reached. Ask those who run the service (PLATFORM_PROXY_URL).',
  'proxy-refused':
    'The proxy refuses to connect to the platform. Ask those who run the service (PLATFORM_PROXY_URL).',
  'proxy-timeout':
    'The proxy to the platform does not answer. Ask those who run the service (PLATFORM_PROXY_URL).',
};

/** The error of a call that did not succeed. */
export function callError(
  { outcome, history }: CallEnd<Answer, Fault>,
  facts: CallFacts,
): CommandError | Promise<CommandError> {
  // What an earlier attempt may have done can be the reason for the answer to the last one.
  const earlier = history.unknown > 0 ? { earlierAttemptUnknown: true } : undefined;
  const retryAfterMs = facts.circuitRetryAfterMs || undefined;
  switch (outcome.kind) {
    case 'answered':
      return answerError(outcome.answer, facts, { details: earlier });
    case 'expired':
      return new CommandError('COMMAND_EXPIRED', { details: { called: facts.call.attempts > 0 } });
    case 'unknown':
      return new CommandError(OPERATION_TRAITS[facts.operation].unknownCode, {
        retryAfterMs,
        details: detailsOf(outcome.fault),
      });
    case 'not-sent':
      return faultError(outcome.fault, facts, { retryAfterMs });
    case 'transient':
    case 'rejected':
      return faultError(outcome.fault, facts, { retryAfterMs, details: earlier });
  }
}

function faultError(
  fault: Fault,
  facts: CallFacts,
  known: CommandErrorFacts,
): CommandError | Promise<CommandError> {
  switch (fault.kind) {
    case 'answer':
      return answerError(fault.answer, facts, {
        ...known,
        retryAfterMs: fault.retryAfterMs ?? known.retryAfterMs,
      });
    case 'circuit-open':
      return new CommandError('CIRCUIT_OPEN', {
        retryAfterMs: fault.retryAfterMs,
        details: fault.cause === undefined ? undefined : { reason: fault.cause },
      });
    case 'overloaded':
      return new CommandError('OVERLOADED');
    case 'transport':
      return new CommandError('PLATFORM_UNAVAILABLE', {
        ...known,
        message: MESSAGES[fault.fault],
        details: detailsOf(fault),
      });
    case 'closed':
      return new CommandError('PLATFORM_UNAVAILABLE', { details: detailsOf(fault) });
  }
}

async function answerError(
  answer: Answer,
  { operation, data, secretKey }: CallFacts,
  known: CommandErrorFacts,
): Promise<CommandError> {
  const body = await readBody(answer, MAX_ERROR_TEXT);
  const text = body.kind === 'bytes' ? body.bytes.toString() : undefined;
  const errors = text === undefined ? undefined : readErrors(text);
  const entries = errors ?? [];
  const foreign = errors ? undefined : foreignBodyOf(text);
  const { code, details } = classifyError({ status: answer.status, operation, entries, foreign, data });
  const hasDetails = details !== undefined || known.details !== undefined;
  return new CommandError(code, {
    ...known,
    platform: redactedAnswer(answer.status, entries, [data, secretKey]),
    details: hasDetails ? { ...details, ...known.details } : undefined,
  });
}

/** `undefined` for an empty body. */
function foreignBodyOf(text: string | undefined): ForeignBody | undefined {
  if (text === undefined) return 'text';
  const start = text.trimStart().charAt(0);
  if (start === '') return undefined;
  if (start === '<') return 'html';
  return start === '{' || start === '[' ? 'json' : 'text';
}

function detailsOf(fault: Fault): CommandErrorFacts['details'] {
  if (fault.kind !== 'transport') return { reason: fault.kind };
  const { fault: reason, proxyStatus } = fault;
  return proxyStatus === undefined ? { reason } : { reason, proxyStatus };
}
