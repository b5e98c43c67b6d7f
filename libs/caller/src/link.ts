import type { PreparedCommand } from './command.ts';
import type { ReplyDelivery } from './reply.ts';

/** How commands leave a caller and how replies reach it: over RabbitMQ, or by the script of a test. */
export interface Link {
  /** Where replies go; `undefined` until that is known. */
  readonly replyQueue: string | undefined;
  /** Why nothing can be sent or received right now; `undefined` if all is well. */
  readonly lastError: string | undefined;
  /** A sentence about the present fault of the link, for an error; `undefined` if there is none. */
  readonly fault: string | undefined;

  /** Returns the reply queue once replies can be received. @throws CallerError; the signal's reason */
  ready(signal: AbortSignal): Promise<string>;
  /** Publishes a command, until it is confirmed. @throws CallerError `NO_WORKER` and others; the signal's reason */
  publish(command: PreparedCommand, signal: AbortSignal): Promise<void>;
  /** Returns a queue of that name for the pages of one report; `handle` settles when a delivery is acknowledged. */
  reportQueue(name: string, handle: (delivery: ReplyDelivery) => Promise<void>): ReportQueue;
  close(): Promise<void>;
}

/** The queue of one report. */
export interface ReportQueue {
  /** Creates the queue and begins to receive. @throws CallerError; the signal's reason */
  open(signal: AbortSignal): Promise<void>;
  /** Deletes the queue, which cancels the report unless it has ended. Never rejects. */
  leave(): Promise<void>;
}
