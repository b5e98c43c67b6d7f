import { setTimeout as sleep } from 'node:timers/promises';

import { connect } from 'amqplib';

import type { BenchProcess } from '../processes/bench-process.ts';

const TIMEOUT_MS = 30_000;
const POLL_MS = 20;

/**
 * Waits until a worker consumes from a queue.
 *
 * @param consumers how many to wait for, if others consume from it already
 * @throws {Error} with its last output, if it exits instead
 */
export async function takesCommands(
  process: BenchProcess,
  amqpUrl: string,
  queue: string,
  consumers = 1,
): Promise<void> {
  const connection = await connect(amqpUrl);
  connection.on('error', () => undefined);
  const untilMs = Date.now() + TIMEOUT_MS;
  try {
    for (;;) {
      const channel = await connection.createChannel();
      channel.on('error', () => undefined);
      // A queue that is not there yet closes the channel.
      const found = await channel.checkQueue(queue).catch(() => undefined);
      if (found !== undefined && found.consumerCount >= consumers) return;
      if (found !== undefined) await channel.close();
      if (process.hasEnded || Date.now() > untilMs) {
        throw new Error(`the worker of ${queue} takes no commands:\n${process.lastWords}`);
      }
      await sleep(POLL_MS);
    }
  } finally {
    await connection.close();
  }
}
