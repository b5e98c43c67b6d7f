/**
 * Why a caller got no answer: nobody can be reached; the broker knows the caller's credentials or virtual host not, or
 * has no commands exchange under the prefix; it took the command from nobody's hand; or no final reply came in time.
 */
export type BusClientFault = 'unreachable' | 'rejected' | 'no-exchange' | 'not-taken' | 'no-answer';

/** A command that was not answered. Its message is a sentence for people and holds no password. */
export class BusClientError extends Error {
  override readonly name = 'BusClientError';
  readonly fault: BusClientFault;

  constructor(fault: BusClientFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}
