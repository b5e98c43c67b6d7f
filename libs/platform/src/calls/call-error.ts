import {
  CommandError,
  ERROR_CODES,
  type ErrorCode,
  type PlatformErrorEntry,
  unansweredAtDeadline,
  type Violation,
} from '#contracts';
import { COMMANDS, GamePlayer, GameSession } from '#contracts/validation';
import { type Circuit, isOverload } from '#resilience';

import { readBody, UnexpectedDocument } from '../answers/document.ts';
import { classifyError } from '../errors/error-table.ts';
import { memberBefore, pathOf, plainName } from '../errors/read-errors.ts';
import { redactedErrors } from '../errors/redactor.ts';
import type { Operation } from '../operations/operation.ts';
import { DEFINITIONS } from '../operations/operations.ts';
import type { OperatorCredentials } from '../platform-settings.ts';
import { type Answer, MAX_ERROR_BYTES, type TransportFault } from '../transport/connection.ts';
import type { Call } from './call.ts';
import type { CallOutcome } from './classify-attempt.ts';

interface CallFacts extends Pick<Call<Operation>, 'data' | 'credentials' | 'options'> {
  readonly operation: Operation;
  readonly circuit: Circuit;
  /** True if an attempt was started for the command. */
  readonly called: boolean;
  /** Attempts of the call whose outcome is unknown. */
  readonly unknown: number;
  /** Returns the delay after which a caller refused because of overload should retry, in milliseconds. */
  readonly overloadedForMs: () => number;
}

const ABOUT_PROXY = 'Ask those who run the service (PLATFORM_PROXY_URL).';
/** Messages for faults that the people who run this service must fix. */
const MESSAGES: Readonly<Partial<Record<TransportFault, string>>> = {
  certificate:
    "The platform's certificate is from an unknown authority, for another host, or expired. Those who run the service " +
    'can name its authority (PLATFORM_TLS_CA).',
  'client-certificate':
    'The platform demands a client certificate, or refuses that of this service. Ask those who run the service ' +
    '(PLATFORM_TLS_CERT).',
  'proxy-unreachable': `The proxy to the platform cannot be reached. ${ABOUT_PROXY}`,
  'proxy-refused': `The proxy refuses to connect to the platform. ${ABOUT_PROXY}`,
  'proxy-timeout': `The proxy to the platform does not answer. ${ABOUT_PROXY}`,
};

const FOREIGN =
  "but the answer is not the platform's: a firewall or proxy in front of it refused the request. Ask the platform's " +
  'manager whether it allows the address of this service, or set another PLATFORM_USER_AGENT.';
const GET_WITH_BODY =
  ' Some refuse every GET with a body, as this report sends it: RAKE_PARAMETERS_IN=query sends none.';

/** JSON pointers of the members a command may contain, by their platform names as written by `pathOf`. */
const POINTERS: Readonly<Partial<Record<Operation, ReadonlyMap<string, string>>>> = Object.fromEntries(
  COMMANDS.map(({ type, data }) => {
    const nested = Object.entries(type === 'game.open' ? { player: GamePlayer, session: GameSession } : {});
    const paths = [
      ...data.members,
      ...nested.flatMap(([name, { members }]) => members.map((each) => `${name}/${each}`)),
    ];
    return [type, new Map(paths.map((path) => [plainName(path), `/${path}`]))];
  }),
);

export async function callError(outcome: CallOutcome, facts: CallFacts): Promise<CommandError> {
  const { operation, circuit, called } = facts;
  const retryAfterMs = circuit.retryAfterMs || undefined;
  switch (outcome.kind) {
    case 'expired':
      if (outcome.unansweredMs !== undefined) return unansweredAtDeadline(outcome.unansweredMs);
      return new CommandError('COMMAND_EXPIRED', { details: { called } });
    case 'rejected': {
      const { reason } = outcome;
      if (isOverload(reason)) {
        return new CommandError('OVERLOADED', { retryAfterMs: facts.overloadedForMs(), details: { reason } });
      }
      if (reason === 'closed') return new CommandError('PLATFORM_UNAVAILABLE', { details: { reason } });
      const { cause } = circuit;
      return new CommandError('CIRCUIT_OPEN', { retryAfterMs, details: cause ? { reason: cause } : {} });
    }
    case 'answered':
      return answerError(outcome, undefined, facts);
    case 'transient':
      return answerError(outcome, outcome.retryAfterMs ?? retryAfterMs, facts);
    default: {
      const { kind, fault, proxyStatus } = outcome;
      const details = { reason: fault, proxyStatus };
      if (kind === 'unknown') {
        const code = DEFINITIONS[operation].isRead ? 'PLATFORM_UNAVAILABLE' : 'OUTCOME_UNKNOWN';
        return new CommandError(code, { retryAfterMs, details });
      }
      return new CommandError('PLATFORM_UNAVAILABLE', { retryAfterMs, message: MESSAGES[fault], details });
    }
  }
}

async function answerError(
  answer: Answer,
  retryAfterMs: number | undefined,
  { operation, unknown, data, credentials, options }: CallFacts,
): Promise<CommandError> {
  const { status } = answer;
  const text = await readBody(answer, MAX_ERROR_BYTES).then(String, () => undefined);
  const { code, details, entries } = classifyError(status, text, DEFINITIONS[operation].errors, data);
  const errors = redactedErrors(entries, [data, credentials.secretKey]);
  const violations = violationsOf(code, entries, errors, operation, credentials);
  // An earlier attempt with an unknown outcome may be the reason for the last answer.
  const earlier = unknown > 0 ? { earlierAttemptUnknown: true } : undefined;
  return new CommandError(code, {
    retryAfterMs,
    message: code === 'FORBIDDEN' && details ? foreignMessage(status, options) : undefined,
    violations: violations.length > 0 ? violations : undefined,
    platform: { status, errors },
    details: details || earlier ? { ...details, ...earlier } : undefined,
  });
}

function foreignMessage(status: number, { method, body }: CallFacts['options']): string {
  return `HTTP ${status}, ${FOREIGN}${method === 'GET' && body !== null ? GET_WITH_BODY : ''}`;
}

/**
 * Returns the errors that refer to a member of the command.
 *
 * @param redacted the same entries, without values
 */
function violationsOf(
  code: ErrorCode,
  entries: readonly PlatformErrorEntry[],
  redacted: readonly PlatformErrorEntry[],
  operation: Operation,
  { settings }: OperatorCredentials,
): Violation[] {
  const country = plainName(`player/${settings.playerCountryMember}`);
  const found = new Map<string, Violation>();
  for (const [index, { pointer, detail = '' }] of entries.entries()) {
    const { detail: message = ERROR_CODES[code].message } = redacted[index] ?? {};
    const inText = detail.split('\n').flatMap((line) => memberBefore(line) ?? []);
    for (const each of pointer === undefined ? inText : [pointer]) {
      const path = pathOf(each).join('/');
      const own = POINTERS[operation]?.get(path === country ? 'player/country' : path);
      if (own !== undefined && !found.has(own)) found.set(own, { pointer: own, message });
    }
  }
  return [...found.values()];
}

/** Converts the error of an unexpected response body to a protocol error; returns other errors unchanged. */
export function protocolError(error: unknown, status: number): unknown {
  if (!(error instanceof UnexpectedDocument)) return error;
  return new CommandError('PLATFORM_PROTOCOL_ERROR', {
    details: { reason: error.message },
    platform: { status, errors: [] },
  });
}
