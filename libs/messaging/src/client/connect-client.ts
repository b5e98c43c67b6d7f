import { type ChannelModel, connect } from 'amqplib';

import { BusClientError } from './bus-client-error.ts';

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Connects to the first node of a cluster that takes the caller.
 *
 * @throws BusClientError `rejected` where a broker refuses the credentials or the virtual host, else `unreachable`
 */
export async function connectClient(urls: readonly string[]): Promise<ChannelModel> {
  const reasons: string[] = [];
  for (const url of urls) {
    try {
      return await connect(url, {
        timeout: CONNECT_TIMEOUT_MS,
        noDelay: true,
        clientProperties: { connection_name: 'poker-bridge client' },
      });
    } catch (error) {
      const { host } = new URL(url);
      const reason = reasonOf(error);
      if (/ACCESS.REFUSED|NOT.ALLOWED/.test(reason)) {
        throw new BusClientError('rejected', `The broker at ${host} refuses this user: ${reason}`, {
          cause: error,
        });
      }
      reasons.push(`${host}: ${reason}`);
    }
  }
  throw new BusClientError('unreachable', `No broker can be reached (${reasons.join('; ')}).`);
}

/** Node.js gives one error for all addresses of a name, with an empty message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
