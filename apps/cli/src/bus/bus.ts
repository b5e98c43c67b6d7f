import { busNames } from '#contracts';
import { type Caller, createCaller } from '#caller';
import { alarmSentence, BriefConnection, onChannel } from '#rabbitmq';
import { readSomeSettings } from '#settings';
import type { TlsContext } from '#tls';

import { EXIT, ExitError } from '../exit.ts';
import { TLS_OF_BROKER, tlsOf } from '../input/tls-of.ts';

export const ANSWER_TIMEOUT_MS = 5_000;
const NOT_FOUND = 404;

/** Where the bus is. */
export interface Bus {
  readonly urls: readonly string[];
  readonly prefix: string;
  readonly tls: TlsContext;
}

/** @throws SettingsError if the settings of the broker cannot be used */
export function readBus(): Bus {
  const settings = readSomeSettings(['AMQP_URL', 'AMQP_PREFIX', ...TLS_OF_BROKER], process.env);
  const { AMQP_URL: urls, AMQP_PREFIX: prefix } = settings;
  return { urls, prefix, tls: tlsOf('AMQP', settings, urls) };
}

/** Which bus it is, without users, passwords and ports: `host[, host] /vhost prefix`. */
export function addressOf({ urls, prefix }: Bus): string {
  const nodes = urls.map((url) => new URL(url));
  const hosts = [...new Set(nodes.map(({ hostname }) => hostname))].toSorted();
  return `${hosts.join(', ')} ${nodes[0]?.pathname || '/'} ${prefix}`;
}

/**
 * Connects to a broker with an exchange for commands.
 *
 * @throws BrokerError; ExitError if no worker has declared anything yet
 */
export async function openForCommands({ urls, prefix, tls }: Bus): Promise<BriefConnection> {
  const connection = await BriefConnection.open(urls, { name: 'poker-bridge', tls });
  const { commands } = busNames(prefix);
  try {
    const look = onChannel(connection.model, ANSWER_TIMEOUT_MS, 'the exchange', (channel) =>
      channel.checkExchange(commands),
    );
    await look;
    return connection;
  } catch (error) {
    await connection[Symbol.asyncDispose]();
    if ((error as { code?: unknown }).code !== NOT_FOUND) throw connection.faultOf(error);
    throw new ExitError(
      EXIT.noAnswer,
      `The broker has no exchange ${commands}: no worker with this AMQP_PREFIX has been there.`,
    );
  }
}

/**
 * Calls over the bus for as long as `work` takes. The queues of its replies begin with the broker user and `.cli.`, so that they
 * are never those of a service of this user.
 *
 * @throws BrokerError, ExitError at once if nothing can be sent; else as the work does
 */
export async function withCaller<T>(work: (caller: Caller) => Promise<T>): Promise<T> {
  const bus = readBus();
  const { urls: url, prefix, tls } = bus;
  const { user } = await probe(bus);
  const isOfWorkers = `${user}.`.startsWith(busNames(prefix).reserved);
  await using caller = createCaller({
    url,
    prefix,
    name: isOfWorkers ? 'poker-bridge-cli' : `${user}.cli`,
    sendUserId: true,
    tls: tls.material,
    onState: (connection, state) => {
      if (connection === 'publishing' && state.kind === 'blocked')
        process.stderr.write(`${alarmSentence(state.reason)} Waiting until it takes commands again.\n`);
    },
  });
  return await work(caller);
}

/** A caller would try again until its deadline where nobody can answer. */
async function probe(bus: Bus): Promise<BriefConnection> {
  await using connection = await openForCommands(bus);
  return connection;
}
