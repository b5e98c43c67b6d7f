import { connect } from 'amqplib';

const EXCHANGES = ['commands', 'commands.unknown', 'events'];
const QUEUES = ['interactive', 'reports', 'quarantine', 'dead-letters', 'replies.undelivered'];
/** Of a worker with the default delays. */
const RETRY_QUEUES = ['5000', '30000', '120000'].map((delayMs) => `reports.retry.${delayMs}`);

/** Removes what a worker has declared under a prefix. */
export async function removeTopology(url: string, prefix: string): Promise<void> {
  const connection = await connect(url);
  const channel = await connection.createChannel();
  for (const name of [...QUEUES, ...RETRY_QUEUES]) await channel.deleteQueue(`${prefix}.${name}`);
  for (const name of EXCHANGES) await channel.deleteExchange(`${prefix}.${name}`);
  await connection.close();
}
