import { nestDialect, queueDialect } from '../driver/dialect.ts';
import type { Contestant } from './contestant.ts';
import { ours } from './ours.ts';
import { peer } from './peer.ts';

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
  ours(),
];
