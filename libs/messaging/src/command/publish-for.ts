import type { MessageKind } from '../observer/command-tracer.ts';
import type { OutgoingMessage } from '../rabbitmq/publishing/outgoing-message.ts';
import type { Command } from './command.ts';

/** Publishes as long as it is wanted. */
interface Publisher<T> {
  publish(message: OutgoingMessage, isWanted: () => boolean): Promise<T>;
}

/**
 * Publishes what a command led to, traced if the command is.
 *
 * @param isWanted default: while the command is this worker's
 */
export function publishFor<T>(
  { run, delivery }: Command,
  kind: MessageKind,
  message: OutgoingMessage,
  publisher: Publisher<T>,
  isWanted: () => boolean = () => delivery.isAlive,
): Promise<T> {
  if (run.trace === undefined) return publisher.publish(message, isWanted);
  return run.trace.publish(kind, message, (traced) => publisher.publish(traced, isWanted));
}
