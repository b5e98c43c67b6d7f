/** How far an exchange has come: `unsent` is queued or connecting. */
export type Phase = 'unsent' | 'sent' | 'answering';

/**
 * Was it sent? undici announces a request right before it writes it, so that what was never announced never left.
 * What was announced may have left and even been done, whatever error follows: a server that closes an idle connection
 * can have read the request all the same.
 */
export function wasSent(phase: Phase): boolean {
  return phase !== 'unsent';
}
