import type { ChannelModel } from 'amqplib';

interface Closable {
  close(): Promise<unknown>;
}

/**
 * Closes a channel or connection and waits at most `timeoutMs`: a close that is cut in its handshake never settles.
 * Never rejects; a connection that did not close in time loses its socket.
 */
export async function closeWithin(timeoutMs: number, closable: Closable): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      destroySocket(closable as ChannelModel, new Error('the close was not answered in time'));
      resolve();
    }, timeoutMs);
  });
  // `close` throws at once if it is closed already.
  const closed = Promise.resolve()
    .then(() => closable.close())
    .catch(() => undefined);
  await Promise.race([closed, timeout]);
  clearTimeout(timer);
}

/** Asks for a channel to be closed, and waits for nothing: the process behind it may hang until a queue has a leader. */
export function abandon(channel: Closable): void {
  // Throws at once if it is closed already.
  void Promise.resolve()
    .then(() => channel.close())
    .catch(() => undefined);
}

/** Cuts the TCP connection, which amqplib reports as a lost connection. */
export function destroySocket(model: ChannelModel, reason: Error): void {
  const { connection } = model as unknown as { connection?: { stream?: { destroy(error: Error): void } } };
  connection?.stream?.destroy(reason);
}
