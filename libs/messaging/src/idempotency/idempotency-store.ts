import type { Reply } from '#contracts';

import type { CommandContent } from '../envelope/fingerprint.ts';

/** What a worker that wants to run a command finds under its identity. */
export type Claim =
  /** The command is this worker's to run; it settles or releases the claim, exactly once. */
  | {
      readonly kind: 'claimed';
      /** @returns the reply that stands: another one if this worker was paused, and another worker ran the command meanwhile */
      settle(reply: Reply): Reply | Promise<Reply>;
      /** Frees the identity. Repeats that wait get `reply`, which is not kept; without one they claim it again. */
      release(reply?: Reply): void | Promise<void>;
    }
  /** It runs already. Resolves to `undefined` if that ended without an outcome. */
  | { readonly kind: 'in flight'; readonly outcome: Promise<Reply | undefined> }
  | { readonly kind: 'settled'; readonly reply: Reply }
  /** The identity belongs to a command of another type or with other data. */
  | { readonly kind: 'conflict' };

type Outcome = Extract<Claim, { kind: 'settled' | 'conflict' }>;

export interface ClaimOrigin {
  /** The caller that claims most forgets its own outcomes first; default `anonymous`. */
  readonly caller?: string;
  /** When nobody waits for an outcome any more, epoch milliseconds; default never. */
  readonly untilMs?: number;
  /** A worker has received this very message before: what was decided then counts, also a failure that may pass. */
  readonly isRedelivered?: boolean;
}

/** Keeps which commands run and how they ended. Source: bus contract, section 5, "The same command twice". */
export abstract class IdempotencyStore {
  /** @param identity caller, operator and command id */
  abstract claim(identity: string, asked: CommandContent, origin?: ClaimOrigin): Claim | Promise<Claim>;
}

/**
 * What an outcome is to a later claim of its identity, for the same type and data or others.
 *
 * @returns undefined if it does not count: what may pass counts only for the same message when that is redelivered
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
