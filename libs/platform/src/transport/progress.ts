import type { Answer } from './answer.ts';

/** How far an exchange has come. */
export type Progress =
  /** Queued or connecting. */
  | { readonly phase: 'unsent' }
  | { readonly phase: 'sent' }
  | {
      readonly phase: 'answering';
      readonly head: Omit<Answer, 'body'>;
      readonly chunks: Buffer[];
      bytes: number;
    };

/**
 * Was it sent? undici announces a request right before it writes it, so that what was never announced never left.
 * What was announced may have left and even been done, whatever error follows: a server that closes an idle connection
 * can have read the request all the same.
 */
export function wasSent(progress: Progress): boolean {
  return progress.phase !== 'unsent';
}
