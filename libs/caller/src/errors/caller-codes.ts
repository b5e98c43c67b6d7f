import type { ErrorCode } from '@poker-bridge/contracts';

interface CallerCodeFacts {
  /** Whether sending the same command again can succeed without anyone changing anything. */
  readonly retryable: boolean;
  readonly message: string;
}

/** Why a call failed on this side of the bus. What the worker answers has the codes of `ERROR_CODES`. */
export const CALLER_CODES = {
  NO_WORKER: {
    retryable: false,
    message: 'No queue takes this command: no worker with this prefix has connected to this virtual host.',
  },
  NOT_SENT: { retryable: true, message: 'The broker did not confirm the command before its deadline.' },
  NOT_PERMITTED: { retryable: false, message: 'The broker refuses what this user publishes.' },
  NO_REPLY: {
    retryable: true,
    message: 'No reply came in time; the command may have been run. Send it again under the same id.',
  },
  REPLY_LOST: { retryable: true, message: 'A page of the report was lost on its way. Fetch it again.' },
  REPLY_UNREADABLE: { retryable: false, message: 'The reply is not one that this version can read.' },
  ID_IN_USE: { retryable: false, message: 'A command with this id is under way. Await that one.' },
  TOO_MANY_CALLS: { retryable: true, message: 'This caller has too many calls under way. Call again later.' },
  CALLER_CLOSED: { retryable: false, message: 'This caller was closed; the command may have been sent.' },
} as const satisfies Record<string, CallerCodeFacts>;

/** Every code that a call can fail with. */
export type CallerErrorCode = ErrorCode | keyof typeof CALLER_CODES;
