import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { root } from '../../root.ts';
import type { BrokerSource } from './broker-source.ts';
import { composeUrl } from './compose-url.ts';

const SERVICE = 'rabbitmq';
const ENGINE_TIMEOUT_MS = 10_000;

/** The service `rabbitmq` of docker-compose.yml. It is stopped afterwards, unless it ran before. */
export function composeSource(): BrokerSource {
  return {
    name: 'Docker',
    start: async () => {
      const file = join(root, 'docker-compose.yml');
      if (!existsSync(file)) throw new Error('there is no docker-compose.yml');
      await engineAnswers();
      const compose = (...args: string[]): Promise<string> => docker('compose', '--file', file, ...args);
      const isRunning = (await compose('ps', '--quiet', '--status', 'running', SERVICE)) !== '';
      await compose('up', '--detach', '--wait', SERVICE);
      const url = composeUrl(
        await compose('config', '--format', 'json'),
        await compose('port', SERVICE, '5672'),
        (path) => readFileSync(path, 'utf8'),
      );
      return {
        url,
        origin: `the service ${SERVICE} of docker-compose.yml`,
        ended: new Promise(() => undefined),
        stop: async () => {
          if (!isRunning) await compose('rm', '--stop', '--force', '--volumes', SERVICE);
        },
      };
    },
  };
}

/** A client may be there without an engine. */
async function engineAnswers(): Promise<void> {
  try {
    await promisify(execFile)('docker', ['info'], { timeout: ENGINE_TIMEOUT_MS });
  } catch {
    throw new Error('no engine answers');
  }
}

async function docker(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('docker', args, { maxBuffer: 16 * 1024 * 1024 });
  return stdout.trim();
}
