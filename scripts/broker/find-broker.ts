import { OneShotConnection } from '../../libs/rabbitmq/src/index.ts';
import { messageOf } from '../message-of.ts';
import { startComposeBroker } from './compose-broker.ts';
import { chosenRelease, findInstallation, isSupported } from './installation.ts';
import { type FoundBroker, startBroker } from './start-broker.ts';

/** Sources of a broker, by name. A source without a broker throws an error with the reason. */
export type BrokerSources = Readonly<Record<string, () => Promise<FoundBroker>>>;

type Wishes = Readonly<{ amqpUrl?: string | undefined; port?: number | undefined }>;

/**
 * Returns the sources of a broker in the order in which they are tried (contract, section 10). If a release
 * was chosen, the only source is a private node of that release.
 *
 * @param wishes.amqpUrl an existing broker (AMQP_URL); undefined or empty if none is configured
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
 * Returns the first working broker, and prints on stderr why a source has none.
 *
 * @throws {Error} with what to install
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

/** An existing broker: one URL, or those of the nodes of one cluster, separated by commas. */
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
