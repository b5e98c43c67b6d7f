import { CommandError, type ErrorBody, unansweredAtDeadline, type Reply } from '#contracts';
import { UnconfirmedError } from '#rabbitmq';
import { Abandoned, DeadlineExceeded } from '#resilience';

import type { Envelope } from '../envelope/open-envelope.ts';
import { isCopy } from '../envelope/seal.ts';

const EXPIRED_AT_RECEIPT =
  'By its timestamp or x-deadline, the command had expired when it was first received. ' +
  "Compare the sender's clock with the worker's; if they agree, it waited in its queue for too long.";

/** What the error body of a command says of it. */
interface Failing {
  readonly envelope: Pick<Envelope, 'id' | 'type' | 'deadlineAtMs' | 'own'>;
  readonly attempts: number;
  readonly unansweredMs?: number | undefined;
  readonly receivedAtMs: number;
  readonly isRedelivered: boolean;
  readonly nowMs: () => number;
}

/** The reply of a command that failed. */
type FailedReply = Extract<Reply, { type: 'command.failed' }>;

/** What becomes of a command. Source: bus contract, section 5. */
export type Settlement =
  /** Its final reply is announced, and sent if the handler has not done so. `cause` is why it failed, for the log alone. */
  | { readonly kind: 'answer'; readonly reply: Reply; readonly cause?: unknown; readonly isSent?: boolean }
  /** Answered, and kept for people as well. */
  | { readonly kind: 'dead-letter'; readonly reply: FailedReply; readonly cause?: unknown }
  /** To a retry queue, from which it comes back. */
  | { readonly kind: 'postpone'; readonly copy: Copy; readonly delayMs: number; readonly failure: ErrorBody }
  /** To another queue: its own lane, or the quarantine. */
  | { readonly kind: 'move'; readonly copy: Copy }
  /** Its caller has given it up: it ends without a reply. */
  | { readonly kind: 'cancel' }
  /** Left to the broker, which delivers it again. */
  | { readonly kind: 'return'; readonly cause: unknown };

/** Where a copy of the command goes, and how it differs. */
export interface Copy {
  /** One of the service's own. */
  readonly queue: string;
  /** Added to the carried ones, and over them. */
  readonly headers?: Readonly<Record<string, string | number>>;
}

/** The one funnel from what was thrown to what becomes of the command. */
export function settlementOf(command: Failing, thrown: unknown): Settlement {
  // The broker did not take a reply, or delivers the command again: nothing is decided.
  if (thrown instanceof UnconfirmedError || thrown instanceof Abandoned)
    return { kind: 'return', cause: thrown };
  const error = toCommandError(thrown, command);
  return answerWith({ type: 'command.failed', data: errorBodyOf(error, command) }, error.cause);
}

/** Answers, and keeps a failure for people if only a person can fix it. */
export function answerWith(reply: Reply, cause?: unknown): Settlement {
  const isForPeople =
    reply.type === 'command.failed' &&
    (reply.data.category === 'invalid' || reply.data.category === 'internal');
  return isForPeople ? { kind: 'dead-letter', reply, cause } : { kind: 'answer', reply, cause };
}

/** The error body of a failed command. Source: bus contract, section 4. */
export function errorBodyOf(error: CommandError, { envelope, attempts, nowMs }: Failing): ErrorBody {
  return {
    code: error.code,
    category: error.category,
    retryable: error.retryable,
    message: error.message,
    ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
    ...(error.violations && { violations: error.violations }),
    ...(error.details && { details: error.details }),
    ...(error.platform && { platform: error.platform }),
    attempts,
    command: { id: envelope.id, type: envelope.type },
    occurredAt: new Date(nowMs()).toISOString(),
  };
}

/** What the platform last answered, or why it did not: `HTTP 503`, `timeout`; `undefined` if a failure is not about that. */
export function causeOf(settlement: Settlement): string | undefined {
  const { category, platform, details } = failureOf(settlement) ?? {};
  if (platform) return `HTTP ${platform.status}`;
  const isOfCall = category === 'unavailable' || category === 'uncertain' || category === 'expired';
  return isOfCall && typeof details?.['reason'] === 'string' ? details['reason'] : undefined;
}

/** The failure that a command is answered with, or has to wait for; `undefined` for any other settlement. */
export function failureOf(settlement: Settlement): ErrorBody | undefined {
  if (settlement.kind === 'postpone') return settlement.failure;
  const { reply } = 'reply' in settlement ? settlement : {};
  return reply?.type === 'command.failed' ? reply.data : undefined;
}

function toCommandError(thrown: unknown, command: Failing): CommandError {
  if (thrown instanceof CommandError) return thrown;
  if (thrown instanceof DeadlineExceeded) return expired(command);
  return new CommandError('INTERNAL_ERROR', { cause: thrown });
}

function expired({ envelope, attempts, unansweredMs, receivedAtMs, isRedelivered }: Failing): CommandError {
  const called = attempts > 0;
  if (unansweredMs !== undefined) return unansweredAtDeadline(unansweredMs);
  const lateByMs = receivedAtMs - envelope.deadlineAtMs;
  if (lateByMs < 0) return new CommandError('COMMAND_EXPIRED', { details: { called } });
  const details = { called, lateByMs };
  if (isRedelivered || isCopy(envelope.own)) return new CommandError('COMMAND_EXPIRED', { details });
  return new CommandError('COMMAND_EXPIRED', {
    message: EXPIRED_AT_RECEIPT,
    details: { ...details, hint: 'clock' },
  });
}
