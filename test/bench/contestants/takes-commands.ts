import type { ServiceProcess } from '../../../scripts/processes/service-process.ts';
import { openConnection } from '../../support/broker.ts';

const TIMEOUT_MS = 30_000;

/**
 * Waits until a worker consumes from a queue.
 *
 * @throws {Error} with its last lines, if it ends instead
 */
export async function takesCommands(process: ServiceProcess, amqpUrl: string, queue: string): Promise<void> {
  const { connection } = await openConnection(amqpUrl);
  const consumesFrom = async (): Promise<boolean> => {
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    // A queue that is not there yet closes the channel.
    const found = await channel.checkQueue(queue).catch(() => undefined);
    if (found !== undefined) await channel.close();
    return found !== undefined && found.consumerCount > 0;
  };
  try {
    await process.until(`take commands from ${queue}`, consumesFrom, TIMEOUT_MS);
  } finally {
    await connection.close();
  }
}
