import { connect } from 'amqplib';

const EXCHANGES = ['commands', 'commands.unknown', 'events'];
const QUEUES = ['interactive', 'reports', 'quarantine', 'dead-letters', 'replies.undelivered'];

/** Removes what a worker has declared under a prefix; the rungs of the retry ladder expire by themselves. */
export async function removeTopology(url: string, prefix: string): Promise<void> {
  const connection = await connect(url);
  const channel = await connection.createChannel();
  for (const name of QUEUES) await channel.deleteQueue(`${prefix}.${name}`);
  for (const name of EXCHANGES) await channel.deleteExchange(`${prefix}.${name}`);
  await connection.close();
}
