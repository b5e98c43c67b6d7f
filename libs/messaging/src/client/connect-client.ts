import { type ChannelModel, connect } from 'amqplib';

import { TlsContext } from '#tls';

import { brokerUserOf } from './broker-user-of.ts';
import { BusClientError } from './bus-client-error.ts';

const CONNECT_TIMEOUT_MS = 5_000;

/** A connection, and the broker user that it belongs to. */
export interface ClientConnection {
  readonly model: ChannelModel;
  readonly user: string;
}

/**
 * Connects to the first node of a cluster that takes the caller.
 *
 * @throws BusClientError `rejected` if a broker refuses the credentials or the virtual host, else `unreachable`
 */
export async function connectClient(
  urls: readonly string[],
  tls = new TlsContext('AMQP'),
): Promise<ClientConnection> {
  const reasons: string[] = [];
  for (const url of urls) {
    try {
      const model = await connect(url, {
        ...tls.material,
        timeout: CONNECT_TIMEOUT_MS,
        noDelay: true,
        clientProperties: { connection_name: 'poker-bridge client' },
      });
      return { model, user: brokerUserOf(url) };
    } catch (error) {
      const { host, pathname } = new URL(url);
      const reason = reasonOf(error, tls);
      const refusal = refusalOf(reason, pathname);
      if (refusal !== undefined) {
        throw new BusClientError('rejected', `The broker at ${host} ${refusal}.`, { cause: error });
      }
      reasons.push(`${host}: ${reason}`);
    }
  }
  throw new BusClientError('unreachable', `No broker can be reached (${reasons.join('; ')}).`);
}

/** Why the broker refused this caller; `undefined` if the failure came before that. */
function refusalOf(reason: string, virtualHost: string): string | undefined {
  if (/ACCESS.REFUSED/.test(reason)) return 'refuses this user or password';
  // amqplib does not look into the answer.
  if (/ConnectionOpenOk; got <ConnectionClose/.test(reason)) {
    return `does not open the virtual host ${virtualHost} to this user`;
  }
  return undefined;
}

/** Node.js gives one error for all addresses of a name, with an empty message. */
function reasonOf(error: unknown, tls: TlsContext): string {
  if (error instanceof AggregateError) return error.errors.map((each) => reasonOf(each, tls)).join(', ');
  return tls.describe(error);
}
