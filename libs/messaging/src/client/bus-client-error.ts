/** Why a caller got no answer. */
export type BusClientFault =
  /** The connection was lost. */
  | 'unreachable'
  /** There is no exchange for commands under this prefix. */
  | 'no-exchange'
  /** There is no queue of dead letters or parked replies under this prefix. */
  | 'no-queue'
  /** No queue takes the command, or its queue is full. */
  | 'not-taken'
  /** The final reply did not come in time. */
  | 'no-answer';

/** A command that was not answered. Its message is a sentence for people and holds no password. */
export class BusClientError extends Error {
  override readonly name = 'BusClientError';
  readonly fault: BusClientFault;

  constructor(fault: BusClientFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}
