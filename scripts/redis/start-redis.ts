import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { installPackage } from '../apt/install-package.ts';
import { freePorts } from '../network/free-ports.ts';
import { speaksRedis } from '../network/speaks.ts';
import { guardedCommand } from '../processes/guarded-command.ts';

const START_TIMEOUT_MS = 10_000;

/** A Redis of our own. It ends with this process, whichever way that ends. */
export interface Redis extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Nothing of it is left when this settles. */
  stop(): Promise<void>;
}

/**
 * Starts a private Redis on a free loopback port. It keeps everything in memory.
 *
 * @param options.port default: a free one, for example to start one again in place of another
 * @throws {Error} if Redis is not there and cannot be installed, or does not start
 */
export async function startRedis(options: { readonly port?: number } = {}): Promise<Redis> {
  const server = await requireServer();
  const [free = 0] = await freePorts(1);
  const port = options.port ?? free;
  const folder = mkdtempSync(join(tmpdir(), 'poker-bridge-redis-'));
  const settings = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'no', daemonize: 'no' };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const command = guardedCommand(server, args, {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
    folder,
  });
  try {
    await command.until(() => speaksRedis(port), START_TIMEOUT_MS);
  } catch (error) {
    await command.end();
    throw new Error(`Redis did not start on port ${port}`, { cause: error });
  }
  const stop = (): Promise<void> => command.end();
  return { url: `redis://127.0.0.1:${port}`, port, stop, [Symbol.asyncDispose]: stop };
}

async function requireServer(): Promise<string> {
  const found = findServer();
  if (found !== undefined) return found;
  await installPackage('redis-server');
  return findServer() ?? 'redis-server';
}

function findServer(): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => ['redis-server', 'valkey-server'].map((name) => join(folder, name)))
    .find((file) => existsSync(file));
}
