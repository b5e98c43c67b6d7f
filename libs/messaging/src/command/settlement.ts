import { CommandError, type ErrorBody, unansweredAtDeadline, type Reply } from '#contracts';
import { UnconfirmedError } from '#rabbitmq';
import { Abandoned, DeadlineExceeded } from '#resilience';

import type { Envelope } from '../envelope/open-envelope.ts';
import { isCopy } from '../envelope/seal.ts';

const EXPIRED_AT_RECEIPT =
  'By its timestamp or x-deadline, the command had expired when it was first received. ' +
  "Compare the sender's clock with the worker's; if they agree, it waited in its queue for too long.";

/** The facts that go into the error body of a command. */
interface Failing {
  readonly envelope: Pick<Envelope, 'id' | 'type' | 'deadlineAtMs' | 'own'>;
  readonly attempts: number;
  readonly unansweredMs?: number | undefined;
  readonly receivedAtMs: number;
  readonly isRedelivered: boolean;
  readonly nowMs: () => number;
}

type FailedReply = Extract<Reply, { type: 'command.failed' }>;

/** The outcome of a command. Source: bus contract, section 5. */
export type Settlement =
  /**
   * The final reply is announced, and sent unless the handler did so. `cause` is the reason of a failure, for
   * the log alone.
   */
  | { readonly kind: 'answer'; readonly reply: Reply; readonly cause?: unknown; readonly isSent?: boolean }
  /** Answered, and kept as a dead letter for operators. */
  | { readonly kind: 'dead-letter'; readonly reply: FailedReply; readonly cause?: unknown }
  /** Moved to a retry queue, from which it returns. */
  | { readonly kind: 'postpone'; readonly copy: Copy; readonly delayMs: number; readonly failure: ErrorBody }
  /** Moved to another queue: its own lane, or the quarantine. */
  | { readonly kind: 'move'; readonly copy: Copy }
  /** Canceled by its caller: it ends without a reply. */
  | { readonly kind: 'cancel' }
  /** Requeued or lost: the broker redelivers it. */
  | { readonly kind: 'return'; readonly cause: unknown };

/** The destination of a copy, and its changes. */
export interface Copy {
  /** One of the service's own queues. */
  readonly queue: string;
  /** Headers that are added to the carried ones or replace them. */
  readonly headers?: Readonly<Record<string, string | number>>;
}

/** Turns an error into a settlement; all errors pass through here. */
export function settlementOf(command: Failing, thrown: unknown): Settlement {
  // The broker did not confirm a reply, or redelivers the command: nothing is decided.
  if (thrown instanceof UnconfirmedError || thrown instanceof Abandoned)
    return { kind: 'return', cause: thrown };
  const error = toCommandError(thrown, command);
  return answerWith({ type: 'command.failed', data: errorBodyOf(error, command) }, error.cause);
}

/** Returns an answer, and keeps a failure as a dead letter if only a person can fix it. */
export function answerWith(reply: Reply, cause?: unknown): Settlement {
  const isForPeople =
    reply.type === 'command.failed' &&
    (reply.data.category === 'invalid' || reply.data.category === 'internal');
  return isForPeople ? { kind: 'dead-letter', reply, cause } : { kind: 'answer', reply, cause };
}

/** Returns the error body of a failed command. Source: bus contract, section 4. */
export function errorBodyOf(error: CommandError, { envelope, attempts, nowMs }: Failing): ErrorBody {
  const { code, category, retryable, message, retryAfterMs, violations, details, platform } = error;
  const command = { id: envelope.id, type: envelope.type };
  const occurredAt = new Date(nowMs()).toISOString();
  const facts = { retryAfterMs, violations, details, platform, attempts, command, occurredAt };
  return { code, category, retryable, message, ...facts };
}

/**
 * Returns the platform's last answer, or why there was none: `HTTP 503`, `timeout`; undefined if the failure
 * has another cause.
 */
export function causeOf(settlement: Settlement): string | undefined {
  const { category, platform, details } = failureOf(settlement) ?? {};
  if (platform) return `HTTP ${platform.status}`;
  const isOfCall = category === 'unavailable' || category === 'uncertain' || category === 'expired';
  return isOfCall && typeof details?.['reason'] === 'string' ? details['reason'] : undefined;
}

/** Returns the failure that a command is answered with or waits for; undefined for any other settlement. */
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
