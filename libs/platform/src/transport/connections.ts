import { Client } from 'undici';

import type { OperatorCredentials, PlatformLimits, PlatformTransport } from '../platform-settings.ts';
import { type Connecting, type Route, routeTo } from './route.ts';

/** A connection that has been idle for longer is not used again: the other side may be closing it at that moment. */
const KEEP_ALIVE_MS = 4000;
/** However long the other side offers to keep a connection. */
const MAX_KEEP_ALIVE_MS = 5000;
/** undici's own timeouts are coarse, and start at the dispatch: a backstop behind those of the exchange. */
const BACKSTOP_MS = 2000;

/** One connection to the platform, which carries one call at a time. */
export interface Connection {
  readonly client: Client;
  connecting: Connecting | undefined;
  /** The first error of its socket. undici passes on the last one, which no longer says that a certificate was refused. */
  firstError: Error | undefined;
}

/**
 * The connections of one operator to one origin.
 *
 * Each is an undici client of its own, acquired for one call and released after it, so that undici never queues and
 * a call that is cut off ends at once, also while it is connecting. The admission bounds how many there are.
 */
export class Connections {
  readonly route: Route;
  readonly #timeoutMs: number;
  readonly #all = new Set<Connection>();
  /** The one that was used last is used next: it is the least likely to be closing. */
  readonly #idle: Connection[] = [];
  #isRetired = false;

  constructor(origin: string, attemptTimeoutMs: number, transport: PlatformTransport = {}) {
    this.#timeoutMs = attemptTimeoutMs + BACKSTOP_MS;
    this.route = routeTo(origin, transport, this.#timeoutMs);
  }

  acquire(): Connection {
    return this.#idle.pop() ?? this.#open();
  }

  /** After a whole answer. */
  release(connection: Connection): void {
    if (this.#isRetired) this.discard(connection);
    else if (this.#all.has(connection)) this.#idle.push(connection);
  }

  /** After anything else: ends what is still in flight on it. */
  discard(connection: Connection): void {
    this.#all.delete(connection);
    void connection.client.destroy();
    connection.connecting?.stream.destroy(new Error('cut off'));
  }

  /** Lets calls in flight end, and keeps no connection after them. */
  retire(): void {
    this.#isRetired = true;
    for (const connection of this.#idle.splice(0)) this.discard(connection);
  }

  async close(): Promise<void> {
    const closing = [...this.#all].map(async (connection) => {
      this.discard(connection);
      await connection.client.destroy();
    });
    this.#idle.length = 0;
    await Promise.all(closing);
  }

  #open(): Connection {
    const client = new Client(this.route.origin, {
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
      headersTimeout: this.#timeoutMs,
      bodyTimeout: this.#timeoutMs,
      connect: (options, callback) => {
        connection.firstError = undefined;
        connection.connecting = this.route.connect(options, (...result) => {
          connection.connecting = undefined;
          result[1]?.once('error', (error: Error) => (connection.firstError = error));
          callback(...result);
        });
      },
    });
    const connection: Connection = { client, connecting: undefined, firstError: undefined };
    client.on('disconnect', () => this.#forgetIdle(connection));
    this.#all.add(connection);
    return connection;
  }

  #forgetIdle(connection: Connection): void {
    const index = this.#idle.indexOf(connection);
    if (index === -1) return;
    this.#idle.splice(index, 1);
    this.discard(connection);
  }
}

/** Where the requests under one root go. */
export interface Root {
  readonly connections: Connections;
  /** What precedes the path of a request. */
  readonly prefix: string;
}

/** The two roots of an operator's platform. If they have the same origin, they share its connections. */
export function rootsOf(
  { baseUrl, apiUrl }: Pick<OperatorCredentials, 'baseUrl' | 'apiUrl'>,
  { limits, transport }: { readonly limits: PlatformLimits; readonly transport: PlatformTransport },
): { readonly baseUrl: Root; readonly apiUrl: Root } {
  const base = new URL(baseUrl);
  const api = new URL(apiUrl);
  const connectTo = ({ origin }: URL) => new Connections(origin, limits.attemptTimeoutMs, transport);
  const rootOf = ({ pathname }: URL, connections: Connections): Root => ({
    connections,
    prefix: connections.route.prefix + pathname.replace(/\/+$/, ''),
  });
  const ofBase = connectTo(base);
  return {
    baseUrl: rootOf(base, ofBase),
    apiUrl: rootOf(api, api.origin === base.origin ? ofBase : connectTo(api)),
  };
}
