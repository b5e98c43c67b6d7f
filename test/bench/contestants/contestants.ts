import { nestDialect, queueDialect } from '../driver/workload.ts';
import type { Contestant } from './contestant.ts';
import { OURS } from './ours.ts';
import { peer } from './peer.ts';

const QUEUE_TYPES = ['classic', 'quorum'] as const;

const KINDS = [
  { kind: 'bare', program: 'bare-loop', label: 'bare loop: amqplib + undici', dialect: queueDialect },
  { kind: 'nest', program: 'nest-transport', label: 'Nest’s own transport', dialect: nestDialect },
  { kind: 'rabbitmq-client', program: 'rabbitmq-client', label: 'rabbitmq-client', dialect: queueDialect },
];

/** Ours, and what it is compared with. @param isPlain whether peers run with plain Node.js, as their documentation says */
export function contestantsOf(isPlain: boolean): readonly Contestant[] {
  const peers = KINDS.flatMap(({ kind, ...options }) =>
    QUEUE_TYPES.map((queueType) => peer({ ...options, name: `${kind}-${queueType}`, queueType, isPlain })),
  );
  return [...peers, OURS.alone, OURS.withRedis];
}

/** Everything that a full run measures. */
export const CONTESTANTS = contestantsOf(false);
