import { CommandError, type CommandErrorFacts } from '#contracts';
import type { CallEnd } from '#resilience';

import { readBody } from '../answers/read-body.ts';
import { classifyError } from '../errors/classify-error.ts';
import { redactedErrors } from '../errors/redactor.ts';
import { type Operation, OPERATION_TRAITS } from '../operations.ts';
import { type Answer, MAX_ERROR_BYTES, type TransportFault, type Unanswered } from '../transport/exchange.ts';
import type { Outcome } from './classify-attempt.ts';
import type { CallContext } from './operation-calls.ts';

export interface CallFacts {
  readonly operation: Operation;
  readonly call: CallContext;
  /** 0 while the circuit would let a call through. */
  readonly circuitRetryAfterMs: number;
  /** The data of the command; no error may repeat it. */
  readonly data: object;
  readonly secretKey: string | undefined;
}

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
export async function callError(
  { outcome, unknown }: CallEnd<Outcome>,
  facts: CallFacts,
): Promise<CommandError> {
  const retryAfterMs = facts.circuitRetryAfterMs || undefined;
  // What an earlier attempt may have done can be the reason for the answer to the last one.
  const details = unknown > 0 ? { earlierAttemptUnknown: true } : undefined;
  switch (outcome.kind) {
    case 'expired':
      return new CommandError('COMMAND_EXPIRED', { details: { called: facts.call.attempts > 0 } });
    case 'rejected':
      return outcome.refusal;
    case 'answered':
      return answerError(outcome.answer, facts, { details });
    case 'transient':
      return answerError(outcome.answer, facts, {
        retryAfterMs: outcome.retryAfterMs ?? retryAfterMs,
        details,
      });
    case 'unknown': {
      const { unknownCode } = OPERATION_TRAITS[facts.operation];
      return new CommandError(unknownCode, { retryAfterMs, details: reasonOf(outcome.fault) });
    }
    case 'not-sent': {
      const message = MESSAGES[outcome.fault.fault];
      return new CommandError('PLATFORM_UNAVAILABLE', {
        retryAfterMs,
        message,
        details: reasonOf(outcome.fault),
      });
    }
  }
}

async function answerError(
  answer: Answer,
  { operation, data, secretKey }: CallFacts,
  known: CommandErrorFacts,
): Promise<CommandError> {
  const { status } = answer;
  const { code, details, entries } = classifyError(status, await textOf(answer), operation, data);
  return new CommandError(code, {
    ...known,
    platform: { status, errors: redactedErrors(entries, [data, secretKey]) },
    details: details || known.details ? { ...details, ...known.details } : undefined,
  });
}

/** `undefined` if it cannot be read. */
async function textOf(answer: Answer): Promise<string | undefined> {
  try {
    return String(await readBody(answer, MAX_ERROR_BYTES));
  } catch {
    return undefined;
  }
}

function reasonOf({ fault: reason, proxyStatus }: Unanswered): CommandErrorFacts['details'] {
  return proxyStatus === undefined ? { reason } : { reason, proxyStatus };
}
