import { randomBytes } from 'node:crypto';

import { WORKER_FLAGS } from '../../../scripts/build/node-flags.ts';
import { busDialect } from '../driver/dialect.ts';
import { BenchProcess } from '../processes/bench-process.ts';
import type { Version } from '../stage/workplace.ts';
import type { Contestant, Surroundings } from './contestant.ts';
import { deleteQueues } from './delete-queues.ts';
import { takesCommands } from './takes-commands.ts';

const EXCHANGES = ['commands', 'commands.unknown', 'events'];
const QUEUES = ['interactive', 'reports', 'quarantine', 'dead-letters', 'replies.undelivered'];
const RETRY_QUEUES = ['5000', '30000', '120000'].map((delayMs) => `reports.retry.${delayMs}`);

export interface OursOptions {
  /** Default: `this`. */
  readonly version?: Version;
  /** Settings beyond the addresses and the prefetch; all others have their default. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** The built worker, on its own topology. */
export function ours({ version = 'this', variables = {} }: OursOptions = {}): Contestant {
  const name = version === 'this' ? 'ours' : 'other';
  return {
    name,
    label: version === 'this' ? 'poker-bridge' : 'poker-bridge, other checkout',
    queueType: 'quorum',
    start: async (surroundings, nodeFlags = []) => {
      const prefix = `bench-${randomBytes(4).toString('hex')}`;
      const queue = `${prefix}.interactive`;
      const process = new BenchProcess({
        args: [
          ...WORKER_FLAGS,
          ...nodeFlags,
          surroundings.workplace.built('apps/worker/src/main.js', version),
        ],
        variables: { ...variablesFor(surroundings, prefix), ...variables },
        log: surroundings.workplace.log(name),
      });
      await takesCommands(process, surroundings.amqpUrl, queue);
      return {
        process,
        dialect: busDialect(prefix),
        queue,
        [Symbol.asyncDispose]: async () => {
          await process[Symbol.asyncDispose]();
          await deleteTopology(surroundings.amqpUrl, prefix);
        },
      };
    },
  };
}

/** The settings of a worker. */
export function variablesFor(
  { amqpUrl, platform, prefetch }: Surroundings,
  prefix: string,
): Record<string, string> {
  return {
    ...platform,
    AMQP_URL: amqpUrl,
    AMQP_PREFIX: prefix,
    HTTP_PORT: '0',
    INTERACTIVE_PREFETCH: String(prefetch),
  };
}

/** Of a worker with the default delays, that has ended. */
export function deleteTopology(amqpUrl: string, prefix: string): Promise<void> {
  return deleteQueues(
    amqpUrl,
    [...QUEUES, ...RETRY_QUEUES].map((rest) => `${prefix}.${rest}`),
    EXCHANGES.map((rest) => `${prefix}.${rest}`),
  );
}
