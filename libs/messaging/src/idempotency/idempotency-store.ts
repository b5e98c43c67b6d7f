import type { Reply } from '#contracts';

import type { CommandContent } from '../envelope/fingerprint.ts';

export type Claim =
  /** This worker may run the command, and must settle or release the claim exactly once. */
  | {
      readonly kind: 'claimed';
      /**
       * Stores the outcome.
       *
       * @returns the reply that counts: that of another worker, if it ran the command while this one was
       *   paused
       */
      settle(reply: Reply): Reply | Promise<Reply>;
      /**
       * Releases the identity. Waiting repeats get `reply`, which is not stored; without one, they claim the
       * identity again.
       */
      release(reply?: Reply): void | Promise<void>;
    }
  /** The command is already running. Resolves to undefined if that run ends without an outcome. */
  | { readonly kind: 'in flight'; readonly outcome: Promise<Reply | undefined> }
  | { readonly kind: 'settled'; readonly reply: Reply }
  /** The identity belongs to a command with another type or other data. */
  | { readonly kind: 'conflict' };

type Outcome = Extract<Claim, { kind: 'settled' | 'conflict' }>;

export interface ClaimOrigin {
  /** The caller, whose share of the memory the outcome uses; default: `anonymous`. */
  readonly caller?: string;
  /** When the caller stops waiting for the outcome, epoch milliseconds; default: never. */
  readonly untilMs?: number;
  /**
   * True if a worker has received this very message before: its earlier outcome then counts, even a transient
   * failure.
   */
  readonly isRedelivered?: boolean;
}

/**
 * Stores which commands are running, and their outcomes. Source: bus contract, section 5, "The same command
 * twice".
 */
export abstract class IdempotencyStore {
  /**
   * Claims the identity of a command before it runs.
   *
   * @param identity caller, operator and command id
   */
  abstract claim(identity: string, asked: CommandContent, origin?: ClaimOrigin): Claim | Promise<Claim>;
}

/**
 * Returns what a stored outcome means for a later claim of its identity.
 *
 * @returns undefined if it does not count: a transient failure counts only for the same message when it is
 *   redelivered
 */
export function standing(reply: Reply, isSame: boolean, isRedelivered: boolean): Outcome | undefined {
  if (mayPass(reply) && !(isSame && isRedelivered)) return undefined;
  return isSame ? { kind: 'settled', reply } : { kind: 'conflict' };
}

/** True if a later command with the same identity may run. */
export function mayPass(reply: Reply): boolean {
  if (reply.type !== 'command.failed') return false;
  const { code, details, retryable } = reply.data;
  return retryable || (code === 'COMMAND_EXPIRED' && details?.['called'] === false);
}
