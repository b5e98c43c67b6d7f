import { busNames } from '#contracts';

import { BriefConnection } from '../../libs/rabbitmq/src/index.ts';

const DEFAULT_RETRY_DELAYS_MS = '5000,30000,120000';

/**
 * Removes what workers that have ended declared under a prefix.
 *
 * @param retryDelaysMs as in REPORTS_RETRY_DELAYS_MS
 */
export function removeTopology(
  url: string,
  prefix: string,
  retryDelaysMs = DEFAULT_RETRY_DELAYS_MS,
): Promise<void> {
  const names = busNames(prefix);
  const retryQueues = retryDelaysMs.split(',').map((delayMs) => names.retry(Number(delayMs)));
  return removeQueues(
    url,
    [...Object.values(names.lanes), names.quarantine, names.deadLetters, names.undelivered, ...retryQueues],
    [names.commands, names.unknownCommands, names.events],
  );
}

export async function removeQueues(
  url: string,
  queues: readonly string[],
  exchanges: readonly string[] = [],
): Promise<void> {
  await using connection = await BriefConnection.open(url.split(','), { name: 'poker-bridge' });
  const channel = await connection.model.createChannel();
  for (const queue of queues) await channel.deleteQueue(queue);
  for (const exchange of exchanges) await channel.deleteExchange(exchange);
}
