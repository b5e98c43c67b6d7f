import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { installPackage } from './install-package.ts';
import { freePorts, speaksRedis } from './network.ts';
import { guardedCommand } from './processes/guarded-command.ts';

const START_TIMEOUT_MS = 10_000;

export interface StartRedisOptions {
  /** Default: a free one, for example to start one again in place of another. */
  readonly port?: number;
  /** Also listens for TLS, and demands a client certificate; in PEM. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca: string };
}

/** A Redis of our own. It ends with this process, whichever way that ends. */
export interface Redis extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Of the listener for TLS, if there is one. */
  readonly tlsPort: number;
  /** Nothing of it is left when this settles. */
  stop(): Promise<void>;
}

/**
 * Starts a private Redis on a free loopback port. It keeps everything in memory.
 *
 * @throws {Error} if Redis is not there and cannot be installed, or does not start
 */
export async function startRedis(options: StartRedisOptions = {}): Promise<Redis> {
  const server = await requireServer();
  const [free = 0, tlsPort = 0] = await freePorts(2);
  const port = options.port ?? free;
  const folder = mkdtempSync(join(tmpdir(), 'poker-bridge-redis-'));
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: 'no',
    daemonize: 'no',
    ...(options.tls && tlsSettings(folder, tlsPort, options.tls)),
  };
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
  return { url: `redis://127.0.0.1:${port}`, port, tlsPort, stop, [Symbol.asyncDispose]: stop };
}

function tlsSettings(folder: string, port: number, pem: NonNullable<StartRedisOptions['tls']>): object {
  const fileOf = (name: keyof typeof pem): string => {
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
