/** How far an exchange has come; `unsent` is connecting. */
export type Phase = 'unsent' | 'sent' | 'answering';

/**
 * Was it sent? undici announces a request right before writing it, so a request that was not announced was not sent.
 * One that was announced may have been sent and even carried out, whatever error follows: a server that closes an idle
 * connection can have read the request all the same.
 */
export function wasSent(phase: Phase): boolean {
  return phase !== 'unsent';
}
