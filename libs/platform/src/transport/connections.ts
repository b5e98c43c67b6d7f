import { Socket } from 'node:net';

import { buildConnector, Client } from 'undici';

/** A connection that has been idle for longer is not used again: the other side may be closing it at that moment. */
const KEEP_ALIVE_MS = 4000;
/** However long the other side offers to keep a connection. */
const MAX_KEEP_ALIVE_MS = 5000;
/** undici's own timeouts are coarse, and start at the dispatch: a backstop behind those of the exchange. */
const BACKSTOP_MS = 2000;

/** One connection to the platform, which carries one call at a time. */
export interface Connection {
  readonly client: Client;
  /** While it is connecting. */
  socket: Socket | undefined;
}

/**
 * The connections of one operator to one origin.
 *
 * Each is an undici client of its own, acquired for one call and released after it, so that undici never queues and
 * a call that is cut off ends at once, also while it is connecting. The admission bounds how many there are.
 */
export class Connections {
  readonly origin: string;
  readonly #timeoutMs: number;
  readonly #connect: ReturnType<typeof buildConnector>;
  readonly #all = new Set<Connection>();
  /** The one that was used last is used next: it is the least likely to be closing. */
  readonly #idle: Connection[] = [];

  constructor(origin: string, attemptTimeoutMs: number) {
    this.origin = origin;
    this.#timeoutMs = attemptTimeoutMs + BACKSTOP_MS;
    this.#connect = buildConnector({ allowH2: false, timeout: this.#timeoutMs });
  }

  acquire(): Connection {
    return this.#idle.pop() ?? this.#open();
  }

  /** After a complete answer. */
  release(connection: Connection): void {
    if (this.#all.has(connection)) this.#idle.push(connection);
  }

  /** After anything else: ends what is still in flight on it. */
  discard(connection: Connection): void {
    this.#all.delete(connection);
    void connection.client.destroy();
    connection.socket?.destroy(new Error('cut off'));
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
    const client = new Client(this.origin, {
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
      headersTimeout: this.#timeoutMs,
      bodyTimeout: this.#timeoutMs,
      connect: (options, callback) => {
        // Its types do not say that it returns the socket, by which alone connecting can be ended.
        const socket: unknown = this.#connect(options, (...result) => {
          connection.socket = undefined;
          callback(...result);
        });
        connection.socket = socket instanceof Socket ? socket : undefined;
      },
    });
    const connection: Connection = { client, socket: undefined };
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
