import type { PreparedCommand } from './command.ts';
import type { ReplyDelivery } from './reply.ts';

/** Transports commands and replies: over RabbitMQ, or with the script of a test. */
export interface Link {
  /** The name of the reply queue; `undefined` until it is known. */
  readonly replyQueue: string | undefined;
  /** Why commands cannot be sent or replies received at the moment; `undefined` without a fault. */
  readonly lastError: string | undefined;
  /** A sentence about the current fault, to be added to an error message; `undefined` without a fault. */
  readonly fault: string | undefined;

  /** Returns the reply queue once replies can be received. @throws CallerError; the signal's reason */
  ready(signal: AbortSignal): Promise<string>;
  /**
   * Publishes a command and settles when the broker has confirmed it.
   *
   * @throws CallerError `NO_WORKER` and others; the signal's reason
   */
  publish(command: PreparedCommand, signal: AbortSignal): Promise<void>;
  /**
   * Returns a queue with this name for the pages of one report; `handle` settles when a delivery is
   * acknowledged.
   */
  reportQueue(name: string, handle: (delivery: ReplyDelivery) => Promise<void>): ReportQueue;
  close(): Promise<void>;
}

/** The queue of one report. */
export interface ReportQueue {
  /** Creates the queue and starts consuming. @throws CallerError; the signal's reason */
  open(signal: AbortSignal): Promise<void>;
  /** Deletes the queue, which cancels the report unless it has ended. Never rejects. */
  leave(): Promise<void>;
}
