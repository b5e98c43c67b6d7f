import type { ChannelModel } from 'amqplib';

import { closeWithin } from '../connection/close-within.ts';
import { declareQueue } from './declare-topology.ts';
import type { QueueDeclaration } from './topology.ts';

/** Every rung stands a minute longer than twice its delay. */
const INTERVAL_MS = 20_000;
const CLOSE_TIMEOUT_MS = 2_000;

/**
 * Keeps the rungs of the ladder for as long as a worker has them in its settings: a rung that expires takes with it
 * what waits there. A quorum queue counts neither a publish nor a declaration as use, only a consumer and a get.
 */
export class RungKeeper {
  readonly #rungs: readonly QueueDeclaration[];
  readonly #intervalMs: number;
  #timer: NodeJS.Timeout | undefined;

  /** @param intervalMs default 20 s */
  constructor(rungs: readonly QueueDeclaration[], intervalMs = INTERVAL_MS) {
    this.#rungs = rungs;
    this.#intervalMs = intervalMs;
  }

  /** Uses each rung now, and again and again until the next connection, or until `stop`; returns at once. */
  keep(connection: ChannelModel): void {
    this.stop();
    // A connection that has gone meanwhile is followed by another one.
    const use = (): void => void this.use(connection).catch(() => undefined);
    use();
    this.#timer = setInterval(use, this.#intervalMs).unref();
  }

  /** Uses each rung once. */
  async use(connection: ChannelModel): Promise<void> {
    if (this.#rungs.length === 0) return;
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    for (const rung of this.#rungs) {
      await declareQueue(channel, rung);
      await channel.get(rung.name);
    }
    // Whatever was got goes back with the channel, to where it stood; a nack would put it behind the others.
    await closeWithin(CLOSE_TIMEOUT_MS, channel);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
