import type { ChannelModel } from 'amqplib';

interface Closable {
  close(): Promise<unknown>;
}

/**
 * Waits for the broker's answer up to a time: one of its processes that hangs never gives it.
 *
 * @param what completes "… was not answered in time"
 * @throws Error as the work does, or if it takes longer than `timeoutMs`
 */
export async function within<T>(timeoutMs: number, what: string, work: Promise<T>): Promise<T> {
  // It may still fail when nobody waits for it.
  work.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} was not answered in time`)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Asks for a channel to be closed, and waits for nothing. */
export function abandon(channel: Closable): void {
  void close(channel).catch(() => undefined);
}

/** Closes a connection; one whose close is cut in its handshake loses its socket after `timeoutMs`. Never rejects. */
export async function closeWithin(timeoutMs: number, model: ChannelModel): Promise<void> {
  try {
    await within(
      timeoutMs,
      'the close',
      close(model).catch(() => undefined),
    );
  } catch (error) {
    destroySocket(model, error as Error);
  }
}

/** Cuts the TCP connection, which amqplib reports as a lost connection. */
export function destroySocket(model: ChannelModel, reason: Error): void {
  const { connection } = model as unknown as { connection?: { stream?: { destroy(error: Error): void } } };
  connection?.stream?.destroy(reason);
}

/** Node.js gives one error for all addresses of a name, with an empty message. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}

async function close(closable: Closable): Promise<void> {
  // It throws at once if it is closed already.
  await closable.close();
}
