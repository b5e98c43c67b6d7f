import { connect } from 'amqplib';

import type { BrokerSource } from './broker-source.ts';

const TIMEOUT_MS = 5_000;

/** A broker that somebody has named: one URL, or the nodes of one cluster, separated by commas. */
export function urlSource(amqpUrl: string): BrokerSource {
  return {
    name: 'AMQP_URL',
    start: async () => {
      await connectToOneOf(amqpUrl.split(',').map((url) => url.trim()));
      return {
        url: amqpUrl,
        origin: 'the broker that AMQP_URL names',
        ended: new Promise(() => undefined),
        stop: () => Promise.resolve(),
      };
    },
  };
}

async function connectToOneOf(urls: readonly string[]): Promise<void> {
  const attempts = urls.map(async (url) => {
    const connection = await connect(url, { timeout: TIMEOUT_MS });
    await connection.close();
  });
  try {
    await Promise.any(attempts);
  } catch (error) {
    // One reason says enough of all of them.
    throw error instanceof AggregateError ? error.errors[0] : error;
  }
}
