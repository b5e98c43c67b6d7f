import { OneShotConnection } from '../../libs/rabbitmq/src/index.ts';
import { messageOf } from '../message-of.ts';
import { startComposeBroker } from './compose-broker.ts';
import { chosenRelease, findInstallation, isSupported } from './installation.ts';
import { type FoundBroker, startBroker } from './start-broker.ts';

/** Where a broker may come from, by name. A place without one throws an error that says why. */
export type BrokerSources = Readonly<Record<string, () => Promise<FoundBroker>>>;

type Wishes = Readonly<{ amqpUrl?: string | undefined; port?: number | undefined }>;

/**
 * The places from which a broker may come, in the order in which they are tried (contract, section 10); if a
 * release was chosen, a private node of that one and nothing else.
 *
 * @param wishes.amqpUrl somebody's broker (AMQP_URL); undefined or empty if none is named
 * @param wishes.port the AMQP port of a private node. Default: a free one
 */
export function brokerSources({ amqpUrl, port }: Wishes): BrokerSources {
  const release = chosenRelease();
  const privateNode = { [`a private node of RabbitMQ ${release ?? 4}`]: () => startBroker({ port }) };
  if (release !== undefined) return privateNode;
  return {
    ...(amqpUrl && { AMQP_URL: () => connectTo(amqpUrl) }),
    ...privateNode,
    ...(port === undefined && { Docker: startComposeBroker }),
    'an installed RabbitMQ 3': () => startUnsupported(port),
  };
}

/**
 * The first broker that works; why a source has none is printed on stderr.
 *
 * @throws {Error} saying what to install
 */
export async function findBroker(sources: BrokerSources): Promise<FoundBroker> {
  for (const [name, start] of Object.entries(sources)) {
    try {
      return await start();
    } catch (error) {
      console.error(`poker-bridge: no broker from ${name}: ${messageOf(error)}`);
    }
  }
  throw new Error(
    'there is no RabbitMQ to work with. Install the package rabbitmq-server (4.0 or newer; its service need not ' +
      'run), or start Docker, or name a running broker in AMQP_URL.',
  );
}

async function startUnsupported(port: number | undefined): Promise<FoundBroker> {
  const installation = findInstallation();
  if (installation === undefined || isSupported(installation.version)) throw new Error('none is installed');
  return startBroker({ installation, port });
}

/** Somebody's broker: one URL, or the nodes of one cluster, separated by commas. */
async function connectTo(amqpUrl: string): Promise<FoundBroker> {
  const urls = amqpUrl.split(',').map((url) => url.trim());
  await (await OneShotConnection.open(urls, { name: 'poker-bridge' }))[Symbol.asyncDispose]();
  return {
    url: amqpUrl,
    origin: 'the broker that AMQP_URL names',
    ended: new Promise(() => undefined),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
