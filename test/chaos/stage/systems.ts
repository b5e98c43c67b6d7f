import { busSpeech, nestSpeech, queueSpeech, type Speech } from '../../support/speech.ts';
import { Program } from '../../../scripts/processes/program.ts';
import { WorkerProcess } from '../../../scripts/processes/worker-process.ts';

/** What a worker of any kind is given. */
export interface Surroundings {
  readonly amqpUrl: string;
  readonly platform: Readonly<Record<string, string>>;
  readonly redisUrl: string;
  /** A compiled program of `test/bench/peers`. */
  readonly peer: (program: string) => string;
  /** Further settings of a worker of ours. */
  readonly variables: Readonly<Record<string, string>>;
  /** The worker's number, from 0. */
  readonly number: number;
}

/** A kind of service that the rows are played with. */
export interface System {
  readonly name: string;
  readonly label: string;
  readonly hasReports: boolean;
  speech(prefix: string): Speech;
  /** The queues that are to be empty in the end. */
  queues(prefix: string): readonly string[];
  /** The queue whose consumers show how many workers are ready. */
  queue(prefix: string): string;
  start(prefix: string, surroundings: Surroundings): Program;
}

/** Shorter than by default, so that a row ends soon after what it broke is mended. */
export const RETRY_DELAYS_MS = '1000,2000,4000';
/** Queues that every worker declares, and that are to be empty in the end. */
export const QUEUES = ['interactive', 'reports', 'quarantine', 'replies.undelivered'];
const RETRY_QUEUES = RETRY_DELAYS_MS.split(',').map((delayMs) => `reports.retry.${delayMs}`);
const PEER_PREFETCH = '64';

/** The service itself, and the variables of its workers. */
export const OURS: System & {
  variables(prefix: string, surroundings: Surroundings): Record<string, string>;
} = {
  name: 'ours',
  label: 'poker-bridge',
  hasReports: true,
  speech: busSpeech,
  queues: (prefix) => [...QUEUES, ...RETRY_QUEUES].map((queue) => `${prefix}.${queue}`),
  queue: (prefix) => `${prefix}.interactive`,
  variables: (prefix, { amqpUrl, platform, redisUrl, variables }) => ({
    ...platform,
    AMQP_URL: amqpUrl,
    AMQP_PREFIX: prefix,
    REDIS_URL: redisUrl,
    REPORTS_RETRY_DELAYS_MS: RETRY_DELAYS_MS,
    ...variables,
  }),
  start: (prefix, surroundings) => new WorkerProcess(OURS.variables(prefix, surroundings)),
};

/** Services written as the documentation of their library shows: `test/bench/peers`. */
const PEERS: readonly System[] = [
  peer('nest', 'Nest’s own RabbitMQ transport', 'nest-transport', nestSpeech),
  peer('rabbitmq-client', 'rabbitmq-client', 'rabbitmq-client', queueSpeech),
];

export const SYSTEMS: readonly System[] = [OURS, ...PEERS];

function peer(name: string, label: string, program: string, speechOf: (queue: string) => Speech): System {
  return {
    name,
    label,
    hasReports: false,
    speech: speechOf,
    queues: (prefix) => [prefix],
    queue: (prefix) => prefix,
    start: (prefix, { amqpUrl, platform, peer: fileOf }) =>
      new Program(process.execPath, [fileOf(program)], {
        ...platform,
        AMQP_URL: amqpUrl,
        QUEUE: prefix,
        QUEUE_TYPE: 'quorum',
        PREFETCH: PEER_PREFETCH,
      }),
  };
}
