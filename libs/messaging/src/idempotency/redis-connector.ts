import { Socket } from 'node:net';

import type { AbstractConnector, RedisOptions } from 'ioredis';

import { type Attempts, connectSocket, type TlsMaterial } from '#tls';

/**
 * Connects ioredis to the address of Redis that answers first. ioredis itself leaves that to Node.js, which
 * gives each address of a name 250 ms.
 */
class RedisConnector implements Pick<AbstractConnector, 'check' | 'connect' | 'disconnect' | 'firstError'> {
  firstError?: Error;
  #attempts: Attempts | undefined;
  #socket: Socket | undefined;

  constructor(private readonly options: RedisOptions) {}

  check(): boolean {
    return true;
  }

  /** Resolves with a closed socket if no address can be reached: ioredis retries it, but not a rejection. */
  connect(): Promise<Socket> {
    const { host = 'localhost', port = 6379, tls, connectTimeout } = this.options;
    this.#socket = undefined;
    return new Promise((resolve) => {
      const onTimeout = (): void => this.disconnect('connect ETIMEDOUT');
      const timer = setTimeout(onTimeout, connectTimeout);
      const target = { host, port, tls: tls as TlsMaterial | undefined, lookup: tls?.lookup };
      this.#attempts = connectSocket(target, (error, socket) => {
        clearTimeout(timer);
        if (error) this.firstError = error;
        else this.#socket = socket;
        resolve(socket ?? new Socket().destroy());
      });
    });
  }

  disconnect(reason = 'Connection is closed.'): void {
    const socket = this.#socket;
    if (!socket) return void this.#attempts?.destroy(new Error(reason));
    const timer = setTimeout(() => socket.destroy(), this.options.disconnectTimeout);
    socket.once('close', () => clearTimeout(timer)).end();
  }
}

/** The option `Connector` of ioredis. Its type requires a class of ioredis, which few workers load. */
export const REDIS_CONNECTOR = RedisConnector as unknown as NonNullable<RedisOptions['Connector']>;
