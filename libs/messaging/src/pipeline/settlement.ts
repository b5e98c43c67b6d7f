import type { ErrorCode, Reply } from '#contracts';

/** The reply of a command that failed. */
export type FailedReply = Extract<Reply, { type: 'command.failed' }>;

/** What becomes of a command. Source: bus contract, section 5. */
export type Settlement =
  /** Its final reply is sent, and announced. `cause` is why it failed, for the log alone. */
  | { readonly kind: 'answer'; readonly reply: Reply; readonly cause?: unknown }
  /** Answered, and kept for people as well. */
  | { readonly kind: 'dead-letter'; readonly reply: FailedReply; readonly cause?: unknown }
  /** To a retry queue, from which it comes back. */
  | {
      readonly kind: 'postpone';
      readonly copy: Copy;
      readonly delayMs: number;
      readonly failure: FailedReply['data'];
    }
  /** To another queue: its own lane, or the quarantine. */
  | { readonly kind: 'move'; readonly copy: Copy }
  /** Left to the broker, which delivers it again. */
  | { readonly kind: 'return'; readonly cause: unknown };

/** Where a copy of the command goes, and the headers that are added to it. */
export interface Copy {
  readonly queue: string;
  readonly headers: Readonly<Record<string, string | number>>;
}

/** Why a command failed, or has to wait; `undefined` for a success, and for what was not decided. */
export function codeOf(settlement: Settlement): ErrorCode | undefined {
  return settlement.kind === 'postpone' ? settlement.failure.code : failureOf(settlement)?.code;
}

/** The failure that a command is answered with, `undefined` for any other settlement. */
export function failureOf(settlement: Settlement): FailedReply['data'] | undefined {
  const isAnswer = settlement.kind === 'answer' || settlement.kind === 'dead-letter';
  return isAnswer && settlement.reply.type === 'command.failed' ? settlement.reply.data : undefined;
}
