import { globSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { Redis } from 'ioredis';

import { installMissing } from '../../scripts/debian.ts';
import { freePorts } from '../../scripts/network.ts';
import { Program } from '../../scripts/processes/program.ts';
import { Server } from '../../scripts/processes/server.ts';

const SERVER = '{redis,valkey}-server';

/** A Redis on loopback that keeps all data in memory: after a kill, it restarts empty. */
export class PrivateRedis extends Server {
  /**
   * @param settings additional settings, by their names in redis.conf
   * @throws {Error} if it cannot be installed, or does not start
   */
  static async start(settings: Readonly<Record<string, string | number>> = {}): Promise<PrivateRedis> {
    const server = await findServer();
    const [port = 0] = await freePorts(1);
    const begin = (): Program => {
      const folder = mkdtempSync(join(tmpdir(), 'poker-bridge-redis-'));
      const all = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'no', ...settings };
      const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, String(value)]);
      return new Program(server, args, process.env, { folder });
    };
    return new PrivateRedis(port, begin).restart();
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
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
}

/** Returns the path of a Redis or Valkey server; installs one if PATH has none. */
async function findServer(): Promise<string> {
  const places = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, SERVER));
  const find = (): string | undefined => globSync(places)[0];
  if (find() === undefined) await installMissing({ 'redis-server': `/usr/bin/${SERVER}` });
  return find() ?? 'redis-server';
}
