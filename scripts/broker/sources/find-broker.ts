import { messageOf } from '../../message-of.ts';
import type { Release } from '../releases/releases.ts';
import type { BrokerSource, FoundBroker } from './broker-source.ts';
import { composeSource } from './compose-source.ts';
import { aptSource, installedSource, releaseSource, unpackedSource } from './installed-source.ts';
import { urlSource } from './url-source.ts';

export interface BrokerWishes {
  /** Somebody's broker (AMQP_URL). Undefined or empty: none is named, and none is looked for. */
  readonly amqpUrl?: string | undefined;
  /** Of AMQP; a private node can do that. Default: a free one. */
  readonly port?: number | undefined;
  /** A private node of this release, and nothing else. */
  readonly release?: Release | undefined;
}

/** The places from which a broker may come from, in the order in which they are tried (contract, section 10). */
export function brokerSources({ amqpUrl, port, release }: BrokerWishes): readonly BrokerSource[] {
  if (release !== undefined) return [releaseSource(release, port)];
  return [
    ...(amqpUrl ? [urlSource(amqpUrl)] : []),
    installedSource(port),
    ...(port === undefined ? [composeSource()] : []),
    unpackedSource(port),
    aptSource(port),
  ];
}

/**
 * The first broker that works. Why a source has none is told at once, on stderr.
 *
 * @throws {Error} saying what to install
 */
export async function findBroker(
  sources: readonly BrokerSource[],
  tell: (reason: string) => void = tellOnStderr,
): Promise<FoundBroker> {
  for (const source of sources) {
    try {
      return await source.start();
    } catch (error) {
      tell(`${source.name}: ${messageOf(error)}`);
    }
  }
  throw new Error(
    'there is no RabbitMQ to work with. Install the package rabbitmq-server (3.10 or newer; its service need not ' +
      'run), or start Docker, or name a running broker in AMQP_URL.',
  );
}

function tellOnStderr(reason: string): void {
  process.stderr.write(`poker-bridge: no broker from ${reason}\n`);
}
