import { Redis } from 'ioredis';

import { startRedis } from '../../scripts/redis/start-redis.ts';

/** A Redis of one test's own, which can be killed, frozen, and started again on its port. */
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

  /** Gone at once, with everything that it knew. */
  async kill(): Promise<void> {
    await this.#server.stop();
  }

  /** On the same port; it knows nothing. */
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

  /** Asks Redis something over a connection of its own. */
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

  /** The keys that are deleted from now on because their time has run out. */
  async expiredKeys(): Promise<AsyncDisposable & { readonly keys: readonly string[] }> {
    await this.run((client) => client.config('SET', 'notify-keyspace-events', 'Ex'));
    const keys: string[] = [];
    const listening = new Redis(this.url, { lazyConnect: true, retryStrategy: () => null });
    listening.on('error', () => undefined).on('message', (_channel, key: string) => keys.push(key));
    await listening.connect();
    await listening.subscribe('__keyevent@0__:expired');
    return { keys, [Symbol.asyncDispose]: () => Promise.resolve(listening.disconnect()) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  async #findProcess(): Promise<void> {
    const facts = await this.run((client) => client.info('server'));
    this.#pid = Number(/process_id:(\d+)/.exec(facts)?.[1]);
  }
}
