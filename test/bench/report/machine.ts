import { readFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';

import { root } from '../../../scripts/root.ts';

/** The machine and the versions of a run. */
export interface Machine {
  /** ISO 8601. */
  readonly date: string;
  readonly processor: string;
  readonly processors: number;
  readonly memoryGib: number;
  readonly system: string;
  /** By name, of Node.js, RabbitMQ and the libraries that are compared. */
  readonly versions: Readonly<Record<string, string>>;
}

const PACKAGES = ['amqplib', 'undici', '@nestjs/microservices', 'class-validator', 'rabbitmq-client'];

export function describeMachine(brokerVersion: string): Machine {
  const processors = cpus();
  return {
    date: new Date().toISOString(),
    processor: processors[0]?.model.trim() ?? 'unknown',
    processors: processors.length,
    memoryGib: Math.round(totalmem() / 1_024 ** 3),
    system: `${type()} ${release()}`,
    versions: {
      'Node.js': process.versions.node,
      RabbitMQ: brokerVersion,
      ...Object.fromEntries(PACKAGES.map((name) => [name, versionOf(name)])),
    },
  };
}

export function machineLine({ processor, processors, memoryGib, system, versions }: Machine): string {
  const list = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `${processors} × ${processor}, ${memoryGib} GiB, ${system}; ${list.join(', ')}`;
}

function versionOf(name: string): string {
  const text = readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
