import { randomBytes } from 'node:crypto';

import type { Dialect } from '../driver/dialect.ts';
import { BenchProcess } from '../processes/bench-process.ts';
import type { Contestant } from './contestant.ts';
import { deleteQueues } from './delete-queues.ts';
import { takesCommands } from './takes-commands.ts';

export interface PeerOptions {
  readonly name: string;
  readonly label: string;
  /** Of `test/bench/peers`. */
  readonly program: string;
  readonly queueType: 'classic' | 'quorum';
  readonly dialect: (queue: string) => Dialect;
}

/** A program of `test/bench/peers`, on one queue that it declares itself. */
export function peer({ name, label, program, queueType, dialect }: PeerOptions): Contestant {
  return {
    name,
    label,
    queueType,
    start: async ({ workplace, amqpUrl, platform, prefetch }, nodeFlags = []) => {
      const queue = `${name}-${randomBytes(4).toString('hex')}`;
      const variables = {
        ...platform,
        AMQP_URL: amqpUrl,
        QUEUE: queue,
        QUEUE_TYPE: queueType,
        PREFETCH: String(prefetch),
      };
      const process = new BenchProcess({
        args: [...nodeFlags, workplace.program(`peers/${program}`)],
        variables,
        log: workplace.log(name),
      });
      await takesCommands(process, amqpUrl, queue);
      return {
        process,
        dialect: dialect(queue),
        queue,
        [Symbol.asyncDispose]: async () => {
          await process[Symbol.asyncDispose]();
          await deleteQueues(amqpUrl, [queue]);
        },
      };
    },
  };
}
