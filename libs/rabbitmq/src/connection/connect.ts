import { type ChannelModel, connect, credentials } from 'amqplib';

import { readAddress } from './address.ts';
import { boundHeaders } from '../amqplib/bound-headers.ts';
import { writeStraight } from '../amqplib/write-straight.ts';

const TIMEOUT_MS = 5_000;
/** Node.js tries the addresses of a name one after the other, and gives up on a node further away than 250 ms by default. */
const ADDRESS_TIMEOUT_MS = TIMEOUT_MS / 2;
/** A node that is silent for twice as long counts as lost. */
const HEARTBEAT_SECONDS = 5;
/** amqplib reads the answer of a web server, `HTTP/1.1 400 …`, as a frame whose size is made of `P/1.`. */
const HTTP_FRAME = /^Frame size (\d+) exceeds/;
const HTTP_FRAME_SIZE = 0x502f;

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
  const { url: parsed, user, password } = readAddress(url);
  if (!parsed.searchParams.has('heartbeat')) parsed.searchParams.set('heartbeat', String(HEARTBEAT_SECONDS));
  const options = {
    ...tls?.material,
    timeout: TIMEOUT_MS,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    noDelay: true,
    clientProperties: { connection_name: name },
    // amqplib would decode them as Latin-1.
    credentials: credentials.plain(user, password),
  };
  const model = await connect(parsed.href, options).catch((error: unknown) => {
    throw brokerErrorOf(error, url, tls);
  });
  writeStraight(model);
  boundHeaders(model, knownHeaders);
  return model;
}

/** @throws TypeError as `readAddress` does */
export function brokerUserOf(url: string): string {
  return readAddress(url).user;
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
  // amqplib does not look into the answer.
  if (/ConnectionOpenOk; got <ConnectionClose/.test(reason)) {
    const message =
      `The broker at ${host} does not open the virtual host '${virtualHost}' to this user: ` +
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
