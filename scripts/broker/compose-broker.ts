import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { root } from '../root.ts';
import type { FoundBroker } from './start-broker.ts';

const SERVICE = 'rabbitmq';
/** The user that docker-compose.yml has for the demo, with a virtual host of its own. */
const USER = 'demo';
const SECRET = 'rabbitmq-demo';
/** The demo's own, so that its containers, network and volume can be removed. */
const PROJECT = 'poker-bridge-demo';
const ENGINE_TIMEOUT_MS = 10_000;

interface ComposeConfig {
  readonly secrets?: Readonly<Record<string, { readonly file?: string }>>;
}

/** The service `rabbitmq` of docker-compose.yml: the one that runs, else one in a project of its own, which is removed. */
export async function startComposeBroker(): Promise<FoundBroker> {
  const file = join(root, 'docker-compose.yml');
  if (!existsSync(file)) throw new Error('there is no docker-compose.yml');
  await requireEngine();
  const run = async (...args: string[]): Promise<string> => {
    const all = ['compose', '--file', file, ...args];
    const { stdout } = await promisify(execFile)('docker', all, { maxBuffer: 16 * 1024 * 1024 });
    return stdout.trim();
  };
  const isRunning = (await run('ps', '--quiet', '--status', 'running', SERVICE)) !== '';
  const compose = (...args: string[]) => run(...(isRunning ? [] : ['--project-name', PROJECT]), ...args);
  const stop = async () => void (isRunning || (await compose('down', '--volumes')));
  await compose('up', '--detach', '--wait', SERVICE).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    url: composeUrl(
      await compose('config', '--format', 'json'),
      await compose('port', SERVICE, '5672'),
      (path) => readFileSync(path, 'utf8'),
    ),
    origin: `the service ${SERVICE} of docker-compose.yml`,
    ended: new Promise(() => undefined),
    stop,
  };
}

/** A client may be there without an engine. @throws {Error} naming what is missing */
export async function requireEngine(): Promise<void> {
  const ask = (...args: string[]) => promisify(execFile)('docker', args, { timeout: ENGINE_TIMEOUT_MS });
  await ask('compose', 'version').catch(() => {
    throw new Error('Docker Compose is not installed');
  });
  await ask('info').catch(() => {
    throw new Error('no Docker engine answers');
  });
}

/**
 * The AMQP URL of the user `demo` of docker-compose.yml.
 *
 * @param configJson what `docker compose config --format json` prints: where the password is
 * @param published what `docker compose port` prints, for example `0.0.0.0:5672`
 * @param readFile gives the content of a file
 */
export function composeUrl(
  configJson: string,
  published: string,
  readFile: (path: string) => string,
): string {
  const { secrets = {} } = JSON.parse(configJson) as ComposeConfig;
  const file = secrets[SECRET]?.file;
  if (file === undefined) throw new Error(`it has no secret ${SECRET}`);
  const port = /:(\d+)$/.exec(published)?.[1];
  if (port === undefined) throw new Error('its RabbitMQ publishes no port for AMQP');
  const url = new URL(`amqp://127.0.0.1:${port}/${USER}`);
  url.username = USER;
  url.password = readFile(file).trim();
  return url.href;
}
