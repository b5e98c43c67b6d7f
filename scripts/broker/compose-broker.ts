import { join } from 'node:path';

import spawn from 'nano-spawn';

import { root } from '../root.ts';
import type { FoundBroker } from './start-broker.ts';

const SERVICE = 'rabbitmq';
/**
 * The user that docker-compose.yml creates for the demo, with its own virtual host, and the secret with its
 * password.
 */
const USER = 'demo';
const SECRET = '/run/secrets/rabbitmq-demo';
/** A project name for the demo alone, so that its containers, network and volume can be removed. */
const PROJECT = 'poker-bridge-demo';
const ENGINE_TIMEOUT_MS = 10_000;

/**
 * The service `rabbitmq` of docker-compose.yml: the running one, or else one in a separate project, which is
 * removed at the end.
 */
export async function startComposeBroker(): Promise<FoundBroker> {
  const file = join(root, 'docker-compose.yml');
  await requireEngine();
  const run = async (...args: string[]): Promise<string> =>
    (await spawn('docker', ['compose', '--file', file, ...args])).stdout.trim();
  const isRunning = (await run('ps', '--quiet', '--status', 'running', SERVICE)) !== '';
  const compose = (...args: string[]) => run(...(isRunning ? [] : ['--project-name', PROJECT]), ...args);
  const stop = async () => void (isRunning || (await compose('down', '--volumes')));
  try {
    await compose('up', '--detach', '--wait', SERVICE);
    const port = /:(\d+)$/.exec(await compose('port', SERVICE, '5672'))?.[1];
    if (port === undefined) throw new Error('its RabbitMQ publishes no port for AMQP');
    const url = new URL(`amqp://127.0.0.1:${port}/${USER}`);
    url.username = USER;
    url.password = await compose('exec', '--no-TTY', SERVICE, 'cat', SECRET);
    const ended = new Promise(() => undefined);
    const origin = `the service ${SERVICE} of docker-compose.yml`;
    return { url: url.href, origin, ended, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Checks the engine as well, because the client may be installed without one. @throws {Error} naming what is
 * missing
 */
export async function requireEngine(): Promise<void> {
  const ask = (...args: string[]) => spawn('docker', args, { timeout: ENGINE_TIMEOUT_MS });
  await ask('compose', 'version').catch(() => {
    throw new Error('Docker Compose is not installed');
  });
  await ask('info').catch(() => {
    throw new Error('no Docker engine answers');
  });
}
