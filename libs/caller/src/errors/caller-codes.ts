import type { ErrorCategory, ErrorCode } from '@poker-bridge/contracts';

interface CallerCodeFacts {
  readonly category: ErrorCategory;
  /** Whether sending the same command again can succeed without anyone changing anything. */
  readonly retryable: boolean;
  readonly message: string;
}

/** Why a call failed on this side of the bus. What the worker answers has the codes of `ERROR_CODES`. */
export const CALLER_CODES = {
  NO_WORKER: {
    category: 'misconfigured',
    retryable: false,
    message: 'No queue takes this command: no worker with this prefix has connected to this virtual host.',
  },
  NOT_SENT: {
    category: 'unavailable',
    retryable: true,
    message: 'The broker did not confirm the command before its deadline.',
  },
  NOT_PERMITTED: {
    category: 'misconfigured',
    retryable: false,
    message: 'The broker refuses what this user publishes.',
  },
  LOGIN_REFUSED: {
    category: 'misconfigured',
    retryable: false,
    message: 'The broker refuses this user, its password or the virtual host.',
  },
  INSTANCE_TAKEN: {
    category: 'misconfigured',
    retryable: false,
    message: 'Another process is this instance of the caller; each needs one of its own.',
  },
  NOT_CONNECTED: {
    category: 'unavailable',
    retryable: true,
    message: 'There was no connection to the broker in time.',
  },
  NO_REPLY: {
    category: 'uncertain',
    retryable: true,
    message: 'No reply came in time; the command may have been run. Send it again under the same id.',
  },
  REPLY_LOST: {
    category: 'unavailable',
    retryable: true,
    message: 'A page of the report was lost on its way. Fetch it again.',
  },
  REPLY_UNREADABLE: {
    category: 'uncertain',
    retryable: false,
    message: 'The reply is not one that this version can read.',
  },
  ID_IN_USE: {
    category: 'invalid',
    retryable: false,
    message: 'A command with this id is under way. Await that one.',
  },
  TOO_MANY_CALLS: {
    category: 'unavailable',
    retryable: true,
    message: 'This caller has too many calls under way. Call again later.',
  },
  CALLER_CLOSED: {
    category: 'uncertain',
    retryable: false,
    message: 'This caller was closed; the command may have been sent.',
  },
} as const satisfies Record<string, CallerCodeFacts>;

/** Every code that a call can fail with. */
export type CallerErrorCode = ErrorCode | keyof typeof CALLER_CODES;
