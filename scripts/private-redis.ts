import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Redis } from 'ioredis';

import { programOf } from './debian.ts';
import { freePorts, isListening } from './network.ts';
import { Program } from './processes/program.ts';

const START_TIMEOUT_MS = 10_000;

/** A Redis of our own on loopback, which keeps everything in memory. It ends with this process, whichever way that ends. */
export class PrivateRedis implements AsyncDisposable {
  readonly port: number;
  readonly #settings: Readonly<Record<string, string | number>>;
  #program!: Program;

  private constructor(port: number, settings: Readonly<Record<string, string | number>>) {
    this.port = port;
    this.#settings = settings;
  }

  /** @param settings further ones, by their names in redis.conf @throws {Error} if it cannot be installed, or does not start */
  static async start(settings: Readonly<Record<string, string | number>> = {}): Promise<PrivateRedis> {
    const [port = 0] = await freePorts(1);
    const redis = new PrivateRedis(port, settings);
    await redis.restart();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Kills it; its data are lost. */
  kill(): Promise<void> {
    return this.#program[Symbol.asyncDispose]();
  }

  /** Starts it again after `kill`, on the same port and empty. */
  async restart(): Promise<void> {
    const server = await programOf('redis-server', '{redis,valkey}-server');
    const folder = mkdtempSync(join(tmpdir(), 'poker-bridge-redis-'));
    const own = { port: this.port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'no' };
    const settings = Object.entries({ ...own, ...this.#settings });
    const args = settings.flatMap(([name, value]) => [`--${name}`, String(value)]);
    this.#program = new Program(server, args, process.env, { folder });
    try {
      await this.#program.until('take connections', () => isListening(this.port), START_TIMEOUT_MS);
    } catch (error) {
      await this.kill();
      throw error;
    }
  }

  /** Connections stay open and are accepted, and nothing is answered. */
  freeze(): void {
    this.#program.kill('SIGSTOP');
  }

  thaw(): void {
    this.#program.kill('SIGCONT');
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

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}
