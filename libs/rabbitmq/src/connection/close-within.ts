import type { ChannelModel } from 'amqplib';

import { within } from './within.ts';

interface Closable {
  close(): Promise<unknown>;
}

/**
 * Closes a channel or connection and waits at most `timeoutMs`: a close that is cut in its handshake never settles.
 * Never rejects; the socket of a connection is destroyed afterwards in any case.
 */
export async function closeWithin(timeoutMs: number, closable: Closable): Promise<void> {
  try {
    await within(timeoutMs, 'the close', tryToClose(closable));
    // amqplib only ends it, and a broker under an alarm, or behind a network that is cut, does not read that.
    if ('createChannel' in closable) destroySocket(closable as ChannelModel);
  } catch (error) {
    destroySocket(closable as ChannelModel, error as Error);
  }
}

/** Asks for a channel to be closed, and waits for nothing: the process behind it may hang until a queue has a leader. */
export function abandon(channel: Closable): void {
  void tryToClose(channel);
}

/** Cuts the TCP connection, which amqplib reports as a lost connection. */
export function destroySocket(model: ChannelModel, reason?: Error): void {
  const { connection } = model as unknown as { connection?: { stream?: { destroy(error?: Error): void } } };
  connection?.stream?.destroy(reason);
}

function tryToClose(closable: Closable): Promise<unknown> {
  // `close` throws at once if it is closed already.
  return Promise.resolve()
    .then(() => closable.close())
    .catch(() => undefined);
}
