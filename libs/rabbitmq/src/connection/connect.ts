import { type ChannelModel, connect } from 'amqplib';

import { boundHeaders } from './bound-messages.ts';
import { writeStraight } from './write-straight.ts';

const TIMEOUT_MS = 5_000;
/** A node that is silent for twice as long counts as lost. */
const HEARTBEAT_SECONDS = 5;
/** The user that amqplib takes if the URL names none. */
const DEFAULT_USER = 'guest';

/** What `amqps` connections trust and present, in PEM; asked at each connect, so that it may change. */
export interface ConnectionTls {
  readonly material: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** The message of an error of a connection, and what to do if TLS is the reason. Default: the message. */
  describe?(error: unknown): string;
}

export interface ConnectOptions {
  /** Shown by the broker's management. */
  readonly name: string;
  /** Default: what Node.js trusts, and no client certificate. */
  readonly tls?: ConnectionTls | undefined;
  /** The names of the headers that messages come with. Default: all. */
  readonly knownHeaders?: ReadonlySet<string> | undefined;
}

/**
 * Why a broker, or a queue of it, cannot be used: `blocked` by an alarm of memory or disk, `queue-busy` while another person
 * or worker holds the lock of the queue. Only these two and `unreachable` may pass by themselves.
 */
export type BrokerFault =
  | 'unreachable'
  | 'login-refused'
  | 'virtual-host-refused'
  | 'blocked'
  | 'access-refused'
  | 'queue-missing'
  | 'queue-busy';

/** A broker cannot be used. The message is a sentence for people and holds no password. */
export class BrokerError extends Error {
  override readonly name = 'BrokerError';
  readonly fault: BrokerFault;

  constructor(fault: BrokerFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** Opens a connection to one node. @throws BrokerError */
export async function connectTo(
  url: string,
  { name, tls, knownHeaders }: ConnectOptions,
): Promise<ChannelModel> {
  const clientProperties = { connection_name: name };
  const options = { ...tls?.material, timeout: TIMEOUT_MS, noDelay: true, clientProperties };
  const model = await connect(withHeartbeat(url), options).catch((error: unknown) => {
    throw brokerErrorOf(error, url, tls);
  });
  writeStraight(model);
  boundHeaders(model, knownHeaders);
  return model;
}

export function brokerUserOf(url: string): string {
  return URL.canParse(url) ? decodeURIComponent(new URL(url).username) || DEFAULT_USER : DEFAULT_USER;
}

function brokerErrorOf(cause: unknown, url: string, tls: ConnectionTls | undefined): BrokerError {
  const reason = reasonOf(cause, tls);
  const { host, pathname } = new URL(url);
  const [refusal] = /ACCESS_REFUSED[^"]*/.exec(reason) ?? [];
  if (refusal !== undefined) {
    const message = `The broker at ${host} refuses this user or password (${refusal}).`;
    return new BrokerError('login-refused', message, { cause });
  }
  // amqplib does not look into the answer.
  if (/ConnectionOpenOk; got <ConnectionClose/.test(reason)) {
    // A URL without a path means the one that every broker has; one that ends with its slash, the one without a name.
    const name = pathname === '' ? '/' : decodeURIComponent(pathname.slice(1));
    const message =
      `The broker at ${host} does not open the virtual host '${name}' to this user: ` +
      'it does not exist, is not permitted, or takes no more connections.';
    return new BrokerError('virtual-host-refused', message, { cause });
  }
  return new BrokerError('unreachable', reason, { cause });
}

/** Node.js gives one error for all addresses of a name, with an empty message. */
function reasonOf(error: unknown, tls: ConnectionTls | undefined): string {
  if (error instanceof AggregateError) return error.errors.map((each) => reasonOf(each, tls)).join(', ');
  if (tls?.describe) return tls.describe(error);
  return error instanceof Error ? error.message : String(error);
}

function withHeartbeat(url: string): string {
  const parsed = new URL(url);
  if (!parsed.searchParams.has('heartbeat')) parsed.searchParams.set('heartbeat', String(HEARTBEAT_SECONDS));
  return parsed.href;
}
