import type { Reply } from '#contracts';

/** Whose command an identity is. */
export type Claim =
  /** Nobody's so far. The holder either settles or releases it, exactly once. */
  | {
      readonly kind: 'mine';
      settle(reply: Reply): void | Promise<void>;
      /** Frees the identity without a reply: whoever waits for one begins anew. */
      release(): void | Promise<void>;
    }
  /** Under way: the reply of whoever holds it, or `undefined` where that ended without one. */
  | { readonly kind: 'under way'; readonly reply: Promise<Reply | undefined> }
  /** Decided already. */
  | { readonly kind: 'decided'; readonly reply: Reply }
  /** Used with another type or other data. */
  | { readonly kind: 'conflict' };

/** Remembers which commands were seen and how they ended. Source: bus contract, section 5, "The same command twice". */
export abstract class IdempotencyStore {
  /**
   * @param identity operator and command id
   * @param fingerprint of type and data
   * @param isRedelivered whether somebody had this very message in hand before and lost it; default no
   */
  abstract claim(identity: string, fingerprint: string, isRedelivered?: boolean): Claim | Promise<Claim>;

  /** Lets go of what it holds outside this process. Never rejects. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Whether a final reply stands for later repeats; a retryable failure releases the identity instead. */
export function isDecision(reply: Reply): boolean {
  return reply.type !== 'command.failed' || !reply.data.retryable;
}
