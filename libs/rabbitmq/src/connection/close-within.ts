import type { ChannelModel } from 'amqplib';

import { within } from './within.ts';

interface Closable {
  close(): Promise<unknown>;
}

/**
 * Closes a channel or connection and waits at most `timeoutMs`: a close that is cut in its handshake never settles.
 * Never rejects; a connection that did not close in time loses its socket.
 */
export async function closeWithin(timeoutMs: number, closable: Closable): Promise<void> {
  try {
    await within(timeoutMs, 'the close', tryToClose(closable));
  } catch (error) {
    destroySocket(closable as ChannelModel, error as Error);
  }
}

/** Asks for a channel to be closed, and waits for nothing: the process behind it may hang until a queue has a leader. */
export function abandon(channel: Closable): void {
  void tryToClose(channel);
}

/** Cuts the TCP connection, which amqplib reports as a lost connection. */
export function destroySocket(model: ChannelModel, reason: Error): void {
  const { connection } = model as unknown as { connection?: { stream?: { destroy(error: Error): void } } };
  connection?.stream?.destroy(reason);
}

function tryToClose(closable: Closable): Promise<unknown> {
  // `close` throws at once if it is closed already.
  return Promise.resolve()
    .then(() => closable.close())
    .catch(() => undefined);
}
