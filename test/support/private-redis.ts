import { Redis } from 'ioredis';

import { startRedis } from '../../scripts/start-redis.ts';

/** A Redis of its own for one test, which can be killed, frozen, and restarted on its port. */
export class PrivateRedis implements AsyncDisposable {
  #server: Awaited<ReturnType<typeof startRedis>>;
  #pid = 0;

  private constructor(server: Awaited<ReturnType<typeof startRedis>>) {
    this.#server = server;
  }

  static async start(): Promise<PrivateRedis> {
    const redis = new PrivateRedis(await startRedis());
    await redis.#findProcess();
    return redis;
  }

  get port(): number {
    return this.#server.port;
  }

  get url(): string {
    return this.#server.url;
  }

  /** Kills it; its data are lost. */
  async kill(): Promise<void> {
    await this.#server.stop();
  }

  /** Restarts it on the same port, empty. */
  async restart(): Promise<void> {
    this.#server = await startRedis({ port: this.port });
    await this.#findProcess();
  }

  /** Connections stay open and are accepted, and nothing is answered. */
  freeze(): void {
    process.kill(this.#pid, 'SIGSTOP');
  }

  thaw(): void {
    process.kill(this.#pid, 'SIGCONT');
  }

  /** Runs commands over a separate connection. */
  async run<T>(work: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis(this.url, { lazyConnect: true, retryStrategy: () => null });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await work(client);
    } finally {
      client.disconnect();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  async #findProcess(): Promise<void> {
    const facts = await this.run((client) => client.info('server'));
    this.#pid = Number(/process_id:(\d+)/.exec(facts)?.[1]);
  }
}
