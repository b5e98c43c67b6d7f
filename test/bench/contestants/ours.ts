import { randomBytes } from 'node:crypto';

import { busDialect } from '../driver/dialect.ts';
import { BenchProcess } from '../processes/bench-process.ts';
import type { Contestant, Surroundings } from './contestant.ts';
import { deleteQueues } from './delete-queues.ts';
import { takesCommands } from './takes-commands.ts';

const EXCHANGES = ['commands', 'commands.unknown', 'events'];
const QUEUES = ['interactive', 'reports', 'suspects', 'dead-letters', 'replies.undelivered'];
const RETRY_QUEUES = ['5000', '30000', '120000'].map((delayMs) => `reports.retry.${delayMs}`);
/** As `npm run worker` starts it. */
const NODE_FLAGS = ['--enable-source-maps', '--disable-warning=ExperimentalWarning'];

/**
 * The built worker on its own topology, every setting at its default but the addresses and the prefetch.
 *
 * @param nodeFlags further ones, such as those of a profile
 */
export function ours(name = 'ours', nodeFlags: readonly string[] = []): Contestant {
  return {
    name,
    label: 'poker-bridge',
    queueType: 'quorum',
    start: async (surroundings: Surroundings) => {
      const { amqpUrl } = surroundings;
      const prefix = `bench-${randomBytes(4).toString('hex')}`;
      const queue = `${prefix}.interactive`;
      const process = startWorker(name, prefix, surroundings, nodeFlags);
      await takesCommands(process, amqpUrl, queue);
      return {
        process,
        dialect: busDialect(prefix),
        queue,
        [Symbol.asyncDispose]: async () => {
          await process[Symbol.asyncDispose]();
          await deleteQueues(
            amqpUrl,
            [...QUEUES, ...RETRY_QUEUES].map((rest) => `${prefix}.${rest}`),
            EXCHANGES.map((rest) => `${prefix}.${rest}`),
          );
        },
      };
    },
  };
}

function startWorker(
  name: string,
  prefix: string,
  { workplace, amqpUrl, platform, prefetch }: Surroundings,
  nodeFlags: readonly string[],
): BenchProcess {
  const variables = {
    ...platform,
    AMQP_URL: amqpUrl,
    AMQP_PREFIX: prefix,
    HTTP_PORT: '0',
    INTERACTIVE_PREFETCH: String(prefetch),
  };
  const args = [...NODE_FLAGS, ...nodeFlags, workplace.built('apps/worker/src/main.js')];
  return new BenchProcess(args, variables, workplace.log(name));
}
