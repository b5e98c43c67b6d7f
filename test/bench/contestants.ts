import { randomBytes } from 'node:crypto';

import { removeQueues, removeTopology } from '../../scripts/broker/remove-topology.ts';
import { WORKER } from '../../scripts/build/programs.ts';
import { PrivateRedis } from '../../scripts/private-redis.ts';
import { Program } from '../../scripts/processes/program.ts';
import { WorkerProcess } from '../../scripts/processes/worker-process.ts';
import { openConnection } from '../support/broker.ts';
import { busSpeech, nestSpeech, queueSpeech, type Speech } from './driver/speech.ts';
import type { Surroundings, Version } from './stage.ts';

/** A worker that takes commands. */
export interface RunningWorker extends AsyncDisposable {
  readonly pid: number;
  readonly speech: Speech;
}

/** One kind of worker that is measured. */
export interface Contestant {
  /** Unique in a run, for example `bare-classic`. */
  readonly name: string;
  /** As the table calls it. */
  readonly label: string;
  readonly queueType: 'classic' | 'quorum';
  /** Starts one worker, with queues of its own, and waits until it takes commands. */
  start(surroundings: Surroundings): Promise<RunningWorker>;
}

/** How Node.js runs every program that is measured, ours and others: with the flags and the environment of a worker. */
function asWorker(program: string, variables: Readonly<Record<string, string>>): Program {
  return new Program(process.execPath, [...WORKER.flags, program], { ...WORKER.environment, ...variables });
}

/** @throws {Error} with the end of its output, if it ends before it consumes from the queue */
export async function takesCommands(program: Program, amqpUrl: string, queue: string): Promise<void> {
  await using caller = await openConnection(amqpUrl);
  const consumesFrom = async (): Promise<boolean> => {
    const channel = await caller.connection.createChannel();
    channel.on('error', () => undefined);
    // A queue that is not there yet closes the channel.
    const found = await channel.checkQueue(queue).catch(() => undefined);
    if (found !== undefined) await channel.close();
    return found !== undefined && found.consumerCount > 0;
  };
  await program.until(`take commands from ${queue}`, consumesFrom);
}

export interface PeerOptions extends Pick<Contestant, 'name' | 'label' | 'queueType'> {
  /** A file of `test/bench/peers`, without its extension. */
  readonly program: string;
  readonly speech: (queue: string) => Speech;
}

/** A program of `test/bench/peers`, on one queue that it declares itself. */
export function peer({ program, speech, ...contestant }: PeerOptions): Contestant {
  const { name, queueType } = contestant;
  return {
    ...contestant,
    start: async ({ workplace, amqpUrl, platform, prefetch }) => {
      const queue = `${name}-${randomBytes(4).toString('hex')}`;
      const variables = { QUEUE: queue, QUEUE_TYPE: queueType, PREFETCH: String(prefetch) };
      await using parts = new AsyncDisposableStack();
      parts.defer(() => removeQueues(amqpUrl, [queue]));
      const worker = parts.use(
        asWorker(workplace.peer(program), { ...platform, AMQP_URL: amqpUrl, ...variables }),
      );
      await takesCommands(worker, amqpUrl, queue);
      return running(worker, speech(queue), parts.move());
    },
  };
}

function running(worker: Program, speech: Speech, parts: AsyncDisposableStack): RunningWorker {
  return { pid: worker.pid, speech, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** Our worker, which has a topology of its own. */
export interface OurWorker extends RunningWorker {
  readonly prefix: string;
}

export interface OurWorkerOptions {
  /** Default: `this`. */
  readonly version?: Version;
  /** Whether a Redis of its own deduplicates its commands. Default: no. */
  readonly hasRedis?: boolean;
}

/** Starts the built worker, and waits until it takes commands. */
export async function startOurWorker(
  surroundings: Surroundings,
  { version = 'this', hasRedis = false }: OurWorkerOptions = {},
): Promise<OurWorker> {
  const { amqpUrl, workplace } = surroundings;
  const prefix = newPrefix();
  await using parts = new AsyncDisposableStack();
  parts.defer(() => removeTopology(amqpUrl, prefix));
  const variables = {
    ...variablesFor(surroundings, prefix),
    ...(hasRedis && { REDIS_URL: parts.use(await PrivateRedis.start()).url }),
  };
  const worker = await parts.use(new WorkerProcess(variables, workplace.folderOf(version))).ready();
  return { prefix, ...running(worker, busSpeech(prefix), parts.move()) };
}

export function newPrefix(): string {
  return `bench-${randomBytes(4).toString('hex')}`;
}

/** All settings of a worker. */
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

function ours(name: string, label: string, options: OurWorkerOptions): Contestant {
  return {
    name,
    label,
    queueType: 'quorum',
    start: (surroundings) => startOurWorker(surroundings, options),
  };
}

/** As another checkout has it. */
export const OTHER = ours('other', 'poker-bridge, other checkout', { version: 'other' });

const KINDS = [
  { kind: 'bare', program: 'bare-loop', label: 'bare loop', speech: queueSpeech },
  { kind: 'nest', program: 'nest-transport', label: 'Nest’s own transport', speech: nestSpeech },
  { kind: 'rabbitmq-client', program: 'rabbitmq-client', label: 'rabbitmq-client', speech: queueSpeech },
];

/** Everything that a full run measures. */
export const CONTESTANTS: readonly Contestant[] = [
  ...KINDS.flatMap(({ kind, ...options }) =>
    (['classic', 'quorum'] as const).map((queueType) =>
      peer({ ...options, name: `${kind}-${queueType}`, queueType }),
    ),
  ),
  ours('ours', 'poker-bridge', {}),
  ours('redis', 'poker-bridge, with Redis', { hasRedis: true }),
];
