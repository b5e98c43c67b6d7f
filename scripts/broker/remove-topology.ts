import { probeOf, topologyOf } from '#messaging/operator';
import { readSomeSettings } from '#settings';

import { OneShotConnection } from '../../libs/rabbitmq/src/index.ts';

/**
 * Removes the queues and exchanges that workers declared under a prefix.
 *
 * @param retryDelays as in REPORTS_RETRY_DELAYS_MS, with the same default
 */
export function removeTopology(url: string, prefix: string, retryDelays = ''): Promise<void> {
  const variables = { REPORTS_RETRY_DELAYS_MS: retryDelays };
  const { REPORTS_RETRY_DELAYS_MS } = readSomeSettings(['REPORTS_RETRY_DELAYS_MS'], variables);
  const { names, queues, exchanges } = topologyOf(prefix, REPORTS_RETRY_DELAYS_MS);
  const [queueNames = [], exchangeNames] = [queues, exchanges].map((declared) =>
    declared.map(({ name }) => name),
  );
  return removeQueues(url, [...queueNames, probeOf(names).name], exchangeNames);
}

export async function removeQueues(
  url: string,
  queues: readonly string[] = [],
  exchanges: readonly string[] = [],
): Promise<void> {
  await using connection = await OneShotConnection.open(url.split(','), { name: 'poker-bridge' });
  const channel = await connection.model.createChannel();
  for (const queue of queues) await channel.deleteQueue(queue);
  for (const exchange of exchanges) await channel.deleteExchange(exchange);
}
