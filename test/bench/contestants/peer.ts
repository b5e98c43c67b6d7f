import { randomBytes } from 'node:crypto';

import { removeQueues } from '../../../scripts/broker/remove-topology.ts';
import { ServiceProcess } from '../../../scripts/processes/service-process.ts';
import type { Dialect } from '../driver/workload.ts';
import { asWorker, type Contestant } from './contestant.ts';
import { takesCommands } from './takes-commands.ts';

export interface PeerOptions {
  readonly name: string;
  readonly label: string;
  /** Of `test/bench/peers`. */
  readonly program: string;
  readonly queueType: 'classic' | 'quorum';
  readonly dialect: (queue: string) => Dialect;
  /** Whether it runs without the worker's flags and environment. Default: no. */
  readonly isPlain?: boolean;
}

/** A program of `test/bench/peers`, on one queue that it declares itself. */
export function peer({ name, label, program, queueType, dialect, isPlain = false }: PeerOptions): Contestant {
  return {
    name,
    label: isPlain ? `${label}, plain Node.js` : label,
    queueType,
    start: async ({ workplace, amqpUrl, platform, prefetch }) => {
      const queue = `${name}-${randomBytes(4).toString('hex')}`;
      const variables = {
        ...platform,
        AMQP_URL: amqpUrl,
        QUEUE: queue,
        QUEUE_TYPE: queueType,
        PREFETCH: String(prefetch),
      };
      const process = new ServiceProcess({
        ...(isPlain
          ? { args: [workplace.peer(program)], variables }
          : asWorker(workplace.peer(program), variables)),
        log: workplace.log(name),
      });
      await takesCommands(process, amqpUrl, queue);
      return {
        process,
        dialect: dialect(queue),
        [Symbol.asyncDispose]: async () => {
          await process[Symbol.asyncDispose]();
          await removeQueues(amqpUrl, [queue]);
        },
      };
    },
  };
}
