import { BriefConnection } from '../../libs/rabbitmq/src/index.ts';

const EXCHANGES = ['commands', 'commands.unknown', 'events'];
const QUEUES = ['interactive', 'reports', 'quarantine', 'dead-letters', 'replies.undelivered'];
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
  const retryQueues = retryDelaysMs.split(',').map((delayMs) => `reports.retry.${delayMs}`);
  const named = (rest: string): string => `${prefix}.${rest}`;
  return removeQueues(url, [...QUEUES, ...retryQueues].map(named), EXCHANGES.map(named));
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
