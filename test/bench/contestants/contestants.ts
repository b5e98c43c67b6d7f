import { randomBytes } from 'node:crypto';

import { removeQueues } from '../../../scripts/broker/remove-topology.ts';
import { ServiceProcess } from '../../../scripts/processes/service-process.ts';
import { type Dialect, nestDialect, queueDialect } from '../driver/workload.ts';
import { asWorker, type Contestant, takesCommands } from './contestant.ts';
import { OURS } from './ours.ts';

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
        ...asWorker(workplace.peer(program), variables),
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

const QUEUE_TYPES = ['classic', 'quorum'] as const;

const KINDS = [
  { kind: 'bare', program: 'bare-loop', label: 'bare loop: amqplib + undici', dialect: queueDialect },
  { kind: 'nest', program: 'nest-transport', label: 'Nest’s own transport', dialect: nestDialect },
  { kind: 'rabbitmq-client', program: 'rabbitmq-client', label: 'rabbitmq-client', dialect: queueDialect },
];

/** Everything that a full run measures. */
export const CONTESTANTS: readonly Contestant[] = [
  ...KINDS.flatMap(({ kind, ...options }) =>
    QUEUE_TYPES.map((queueType) => peer({ ...options, name: `${kind}-${queueType}`, queueType })),
  ),
  OURS.alone,
  OURS.withRedis,
];
