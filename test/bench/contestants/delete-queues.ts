import { connect } from 'amqplib';

/** Deletes queues and exchanges of a worker that has ended. */
export async function deleteQueues(
  amqpUrl: string,
  queues: readonly string[],
  exchanges: readonly string[] = [],
): Promise<void> {
  const connection = await connect(amqpUrl);
  const channel = await connection.createChannel();
  for (const queue of queues) await channel.deleteQueue(queue);
  for (const exchange of exchanges) await channel.deleteExchange(exchange);
  await connection.close();
}
