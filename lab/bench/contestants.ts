import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { removeQueues, removeTopology } from '../../scripts/broker/remove-topology.ts';
import { compile } from '../../scripts/build/bundle.ts';
import { WORKER } from '../../scripts/build/programs.ts';
import { PrivateRedis } from '../../test/support/private-redis.ts';
import { Program } from '../../scripts/processes/program.ts';
import { WorkerProcess } from '../../scripts/processes/worker-process.ts';
import { root } from '../../scripts/root.ts';
import { found } from '../../test/support/broker.ts';
import { type Inbox, inboxOf } from './driver/inbox.ts';
import type { Surroundings } from './stage.ts';

const PEERS = 'lab/bench/peers';
/** Located in the repository so that packages can be resolved from it. */
const COMPILED_PEERS = join(root, '.run/bench-peers');

export interface RunningWorker extends AsyncDisposable {
  readonly pid: number;
  readonly inbox: Inbox;
}

export interface Contestant {
  /** Unique in a run, for example `bare`. */
  readonly name: string;
  readonly label: string;
  /** True if it deduplicates commands with its own Redis. Default: false. */
  readonly hasRedis?: boolean;
  /**
   * The maximum cost of a command on our worker, with Redis if this one has it, relative to this worker: at
   * the rate of the open loop, and at full speed.
   */
  readonly most?: { readonly rate: number; readonly full: number };
  /** Starts one worker with its own queues, and waits until it consumes commands. */
  start(surroundings: Surroundings): Promise<RunningWorker>;
}

/** @throws {Error} with the end of its output, if it exits before it consumes from the queue */
export async function takesCommands(program: Program, amqpUrl: string, queue: string): Promise<void> {
  await program.until(`take commands from ${queue}`, async () => {
    const there = await found((channel) => channel.checkQueue(queue), amqpUrl);
    return there !== undefined && there.consumerCount > 0;
  });
}

export interface PeerOptions extends Omit<Contestant, 'start'> {
  /** A file of `lab/bench/peers`, without its extension. */
  readonly program: string;
  readonly isNest?: boolean;
}

/** A program in `lab/bench/peers`, which declares its own queue and runs with the flags of a worker. */
export function peer({ program, isNest = false, ...contestant }: PeerOptions): Contestant {
  const { name, hasRedis = false } = contestant;
  const { flags, environment } = WORKER;
  return {
    ...contestant,
    start: async ({ amqpUrl, platform, prefetch }) => {
      await compilePeers();
      const queue = `${name}-${randomBytes(4).toString('hex')}`;
      await using parts = new AsyncDisposableStack();
      parts.defer(() => removeQueues(amqpUrl, [queue]));
      const redis = hasRedis ? parts.use(await PrivateRedis.start()) : undefined;
      const worker = parts.use(
        new Program(process.execPath, [...flags, join(COMPILED_PEERS, `${program}.js`)], {
          ...environment,
          ...platform,
          AMQP_URL: amqpUrl,
          QUEUE: queue,
          PREFETCH: String(prefetch),
          ...(redis && { REDIS_URL: redis.url }),
        }),
      );
      await takesCommands(worker, amqpUrl, queue);
      return running(worker, { queue, isNest }, parts.move());
    },
  };
}

async function compilePeers(): Promise<void> {
  mkdirSync(COMPILED_PEERS, { recursive: true });
  for (const name of readdirSync(join(root, PEERS))) {
    const { code } = await compile(root, `${PEERS}/${name}`);
    writeFileSync(join(COMPILED_PEERS, name.replace(/ts$/, 'js')), code);
  }
}

function running(worker: Program, inbox: Inbox, parts: AsyncDisposableStack): RunningWorker {
  return { pid: worker.pid, inbox, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** Our worker, with its own topology. */
export interface OurWorker extends RunningWorker {
  readonly prefix: string;
}

export interface OurWorkerOptions extends Pick<Contestant, 'hasRedis'> {
  /** The folder of another built checkout. Default: this one. */
  readonly folder?: string;
  /** The prefix of its queues, which several workers may share. Default: a new one. */
  readonly prefix?: string;
}

/** Starts the built worker, and waits until it consumes commands. */
export async function startOurWorker(
  surroundings: Surroundings,
  { folder, hasRedis = false, prefix = newPrefix() }: OurWorkerOptions = {},
): Promise<OurWorker> {
  const { amqpUrl } = surroundings;
  await using parts = new AsyncDisposableStack();
  parts.defer(() => removeTopology(amqpUrl, prefix));
  const variables = {
    ...variablesFor(surroundings, prefix),
    ...(hasRedis && { REDIS_URL: parts.use(await PrivateRedis.start()).url }),
  };
  const worker = await parts.use(new WorkerProcess(variables, folder)).ready();
  return { prefix, ...running(worker, inboxOf(prefix), parts.move()) };
}

export function newPrefix(): string {
  return `bench-${randomBytes(4).toString('hex')}`;
}

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

/** @param name `ours` or `redis` for the worker that all others are compared with */
export function ours(name: string, label: string, options: OurWorkerOptions): Contestant {
  const { hasRedis = false } = options;
  return { name, label, hasRedis, start: (around) => startOurWorker(around, options) };
}

/** The worker of another checkout. */
export function otherIn(folder: string): Contestant {
  return ours('other', 'poker-bridge, other checkout', { folder });
}

/** All contestants of a full run. */
export const CONTESTANTS: readonly Contestant[] = [
  peer({ name: 'bare', program: 'bare-loop', label: 'bare loop', most: { rate: 1.3, full: 1.3 } }),
  peer({
    name: 'nest',
    program: 'nest-transport',
    label: 'Nest’s own transport',
    isNest: true,
    most: { rate: 0.85, full: 0.9 },
  }),
  peer({
    name: 'equal',
    program: 'equal-promises',
    label: 'equal promises, Redis',
    hasRedis: true,
    most: { rate: 0.9, full: 0.7 },
  }),
  ours('ours', 'poker-bridge', {}),
  ours('redis', 'poker-bridge, Redis', { hasRedis: true }),
];
