import type { Connection } from '../connection/connection.ts';
import type { Publisher } from '../publishing/publisher.ts';
import type { QueueReader } from '../replies/queue-reader.ts';
import type { Replies } from '../replies/replies.ts';
import type { Sender } from './prepare-command.ts';

/** What the calls of one caller share. */
export interface Bus {
  readonly sender: Sender;
  readonly connection: Connection;
  readonly publisher: Publisher;
  readonly replies: Replies;
  /** The reply queue of this instance, and what consumes it. */
  readonly replyQueue: string;
  readonly reader: QueueReader;
  /** What the names of further reply queues begin with. */
  readonly queuePrefix: string;
  /** Aborts when the caller is closed. */
  readonly closing: AbortSignal;
}
