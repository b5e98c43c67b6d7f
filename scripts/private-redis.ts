import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Redis } from 'ioredis';

import { programOf } from './debian.ts';
import { freePorts, isListening } from './network.ts';
import { GuardedCommand } from './processes/guarded-command.ts';

const START_TIMEOUT_MS = 10_000;

/** What a listener for TLS shows, in PEM; it demands a client certificate of that authority. */
export type RedisTls = Readonly<Record<'cert' | 'key' | 'ca', string>>;

/** A Redis of our own on loopback, which keeps everything in memory. It ends with this process, whichever way that ends. */
export class PrivateRedis implements AsyncDisposable {
  readonly port: number;
  /** The port of the TLS listener, if there is one. */
  readonly tlsPort: number;
  readonly #tls: RedisTls | undefined;
  #command!: GuardedCommand;

  private constructor(port: number, tlsPort: number, tls: RedisTls | undefined) {
    this.port = port;
    this.tlsPort = tlsPort;
    this.#tls = tls;
  }

  /** @throws {Error} if Redis is not there and cannot be installed, or does not start */
  static async start(tls?: RedisTls): Promise<PrivateRedis> {
    const [port = 0, tlsPort = 0] = await freePorts(2);
    const redis = new PrivateRedis(port, tlsPort, tls);
    await redis.restart();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Kills it; its data are lost. */
  kill(): Promise<void> {
    return this.#command.end();
  }

  /** Starts it again after `kill`, on the same port and empty. */
  async restart(): Promise<void> {
    const server = await programOf('redis-server', ['redis-server', 'valkey-server']);
    const folder = mkdtempSync(join(tmpdir(), 'poker-bridge-redis-'));
    const settings = { port: this.port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'no' };
    const all = { ...settings, ...(this.#tls && tlsSettings(folder, this.tlsPort, this.#tls)) };
    this.#command = new GuardedCommand(
      server,
      Object.entries(all).flatMap(([name, value]) => [`--${name}`, String(value)]),
      { output: 'ignore', folder },
    );
    try {
      await this.#command.poll(() => isListening(this.port), START_TIMEOUT_MS);
    } catch (error) {
      await this.kill();
      throw new Error(`Redis did not start on port ${this.port}`, { cause: error });
    }
  }

  /** Connections stay open and are accepted, and nothing is answered. */
  freeze(): void {
    this.#command.kill('SIGSTOP');
  }

  thaw(): void {
    this.#command.kill('SIGCONT');
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

function tlsSettings(folder: string, port: number, pem: RedisTls): object {
  const fileOf = (name: keyof RedisTls): string => {
    const file = join(folder, `${name}.pem`);
    writeFileSync(file, pem[name], { mode: 0o600 });
    return file;
  };
  return {
    'tls-port': port,
    'tls-cert-file': fileOf('cert'),
    'tls-key-file': fileOf('key'),
    'tls-ca-cert-file': fileOf('ca'),
    'tls-auth-clients': 'yes',
  };
}
