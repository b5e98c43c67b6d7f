import { type ChannelModel, connect, credentials } from 'amqplib';

import { readAddress } from './address.ts';
import { boundHeaders } from '../amqplib/bound-headers.ts';
import { writeStraight } from '../amqplib/write-straight.ts';

const TIMEOUT_MS = 5_000;
/**
 * Node.js tries the addresses of a host name in turn and, by default, allows 250 ms each: too little for a
 * distant node.
 */
const ADDRESS_TIMEOUT_MS = TIMEOUT_MS / 2;
/** A node that is silent for two intervals is considered lost. */
const HEARTBEAT_SECONDS = 5;
/**
 * amqplib parses the response of a web server, `HTTP/1.1 400 …`, as a frame whose size consists of the bytes
 * `P/1.`.
 */
const HTTP_FRAME = /^Frame size (\d+) exceeds/;
const HTTP_FRAME_SIZE = 0x502f;

/**
 * Certificates and keys of `amqps` connections, in PEM. They are read at each connect, so that they can be
 * replaced.
 */
export interface ConnectionTls {
  readonly material: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** Returns the message of a connection error, with advice if TLS caused it. Default: the message alone. */
  describe?(error: unknown): string;
}

export interface ConnectOptions {
  /** The connection name in RabbitMQ's management UI. */
  readonly name: string;
  /** Default: the certificate authorities of Node.js, and no client certificate. */
  readonly tls?: ConnectionTls | undefined;
  /** The names of the headers to keep on received messages. Default: all. */
  readonly knownHeaders?: ReadonlySet<string> | undefined;
}

/**
 * The reason why a broker or one of its queues cannot be used. `blocked`: a memory or disk alarm.
 * `queue-busy`: another person or worker holds the lock of the queue. Only these two and `unreachable` can
 * resolve without intervention.
 */
export type BrokerFault =
  | 'unreachable'
  | 'login-refused'
  | 'virtual-host-refused'
  | 'blocked'
  | 'access-refused'
  | 'queue-missing'
  | 'queue-busy';

/** A broker cannot be used. The message is a sentence for people and contains no password. */
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
  const { url: parsed, user, password } = readAddress(url);
  if (!parsed.searchParams.has('heartbeat')) parsed.searchParams.set('heartbeat', String(HEARTBEAT_SECONDS));
  const options = {
    ...tls?.material,
    timeout: TIMEOUT_MS,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    noDelay: true,
    clientProperties: { connection_name: name },
    // Decoded here, because amqplib would decode them as Latin-1.
    credentials: credentials.plain(user, password),
  };
  const model = await connect(parsed.href, options).catch((error: unknown) => {
    throw brokerErrorOf(error, url, tls);
  });
  writeStraight(model);
  boundHeaders(model, knownHeaders);
  return model;
}

function brokerErrorOf(cause: unknown, url: string, tls: ConnectionTls | undefined): BrokerError {
  const reason = reasonOf(cause, tls);
  const {
    url: { host },
    virtualHost,
  } = readAddress(url);
  const frameSize = Number(HTTP_FRAME.exec(reason)?.[1]);
  if (frameSize >>> 16 === HTTP_FRAME_SIZE) {
    const message = `The port at ${host} speaks HTTP, not AMQP: 15672 is the management, 5672 or 5671 the broker.`;
    return new BrokerError('unreachable', message, { cause });
  }
  const [refusal] = /ACCESS_REFUSED[^"]*/.exec(reason) ?? [];
  if (refusal !== undefined) {
    const message = `The broker at ${host} refuses this user or password (${refusal}).`;
    return new BrokerError('login-refused', message, { cause });
  }
  // amqplib reports the broker's close as an unexpected frame and drops its reason.
  if (/ConnectionOpenOk; got <ConnectionClose/.test(reason)) {
    const message =
      `The broker at ${host} does not open the virtual host '${virtualHost}' to this user: ` +
      'it does not exist, is not permitted, or takes no more connections.';
    return new BrokerError('virtual-host-refused', message, { cause });
  }
  return new BrokerError('unreachable', reason, { cause });
}

/** Node.js throws one AggregateError with an empty message for all addresses of a host name. */
function reasonOf(error: unknown, tls: ConnectionTls | undefined): string {
  if (error instanceof AggregateError) return error.errors.map((each) => reasonOf(each, tls)).join(', ');
  if (tls?.describe) return tls.describe(error);
  return error instanceof Error ? error.message : String(error);
}
