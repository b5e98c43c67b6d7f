import { setTimeout as sleep } from 'node:timers/promises';

import { PrivateRedis } from '../../../test/support/private-redis.ts';
import { WorkerUnderTest } from '../../../test/support/worker-under-test.ts';
import { uniquePrefix } from '../../../test/support/broker.ts';
import { healthy, playerOf } from '../../../test/support/platform-answers.ts';
import { type PlatformBehaviour, PlatformStub } from '../../../test/support/platform-stub.ts';
import { until } from '../../../test/support/until.ts';
import { keepWorkers, type Workers } from '../../../test/support/workers.ts';
import { type Happening, Ledger } from '../ledger/ledger.ts';
import { type Verdict, verdictOf } from '../ledger/verdict.ts';
import { type ChaosLoad, chaosLoad } from '../load/chaos-load.ts';
import { type BrokerUnderChaos, type BrokerWishes, startBrokerUnderChaos } from './broker-under-chaos.ts';
import { DurableCaller } from './durable-caller.ts';

/** Requirements of a row beyond two workers, a broker of one node and a Redis. */
export interface StageWishes extends BrokerWishes {
  /** The number of workers. Default: 2. */
  readonly workers?: number;
  readonly variables?: Readonly<Record<string, string>>;
  /** Starts the worker with this number, from 0. Default: with all settings, from this repository. */
  readonly start?: (number: number, variables: Readonly<Record<string, string>>) => WorkerUnderTest;
  /** Additional arguments of the caller's reply queue. */
  readonly replyQueue?: Readonly<Record<string, unknown>>;
}

export interface StageOptions {
  readonly wishes: StageWishes;
  readonly commands: number;
  readonly perSecond: number;
  /** Returns a random number from 0 to 1. */
  readonly random: () => number;
}

type Act = (stage: ChaosStage) => unknown;

/** Pages of each report. */
export const PAGES = 3;
const PLATFORM_MS = 20;
const SEND_POLL_MS = 10;
/**
 * After this long without a reply, none is considered in flight; longer than a busy machine delays a reply.
 */
const QUIET_MS = 2_000;
/** Shorter than the default, so that a row ends soon after its fault. */
const RETRY_DELAYS_MS = '1000,2000,4000';
/** Queues that must be empty at the end. */
const QUEUES = [
  'interactive',
  'reports',
  'quarantine',
  'replies.undelivered',
  ...RETRY_DELAYS_MS.split(',').map((delayMs) => `reports.retry.${delayMs}`),
];

/** Workers under load, with their broker, Redis and platform, and the faults of a row. */
export class ChaosStage implements AsyncDisposable {
  readonly ledger = new Ledger();
  readonly happenings: Happening[] = [];
  /** The times at which faults ended, from which recovery is measured. */
  readonly mendedMs: number[] = [];
  /** The last output of each worker that crashed. */
  readonly crashes: string[] = [];
  broker!: BrokerUnderChaos;
  platform!: PlatformStub;
  redis!: PrivateRedis;
  caller!: DurableCaller;
  workers!: Workers;
  load!: ChaosLoad;
  /** The behaviour of the platform during a fault; undefined while it answers as usual. */
  fault: PlatformBehaviour | undefined;
  readonly prefix = uniquePrefix();
  readonly #options: StageOptions;
  readonly #parts = new AsyncDisposableStack();

  private constructor(options: StageOptions) {
    this.#options = options;
  }

  static async start(options: StageOptions): Promise<ChaosStage> {
    const stage = new ChaosStage(options);
    try {
      await stage.#start();
    } catch (error) {
      await stage[Symbol.asyncDispose]();
      throw error;
    }
    return stage;
  }

  /** Returns random numbers from 0 to 1, in the same sequence for the same seed. */
  get random(): () => number {
    return this.#options.random;
  }

  /** Waits until this share of the load, from 0 to 1, has been sent. */
  async at(share: number): Promise<void> {
    while (this.load.share < share) await sleep(SEND_POLL_MS);
  }

  /**
   * Calls `act` a number of times, at random moments spread over the load.
   *
   * @param act receives the number of earlier calls
   */
  async times(count: number, act: (turn: number) => Promise<void>): Promise<void> {
    for (let turn = 0; turn < count; turn += 1) {
      await this.at((turn + 0.2 + 0.6 * this.random()) / (count + 0.5));
      await act(turn);
    }
  }

  /** Applies a fault once, and removes it after `downMs`. */
  outage(what: string, downMs: number, breaks: Act, mends: Act): Promise<void> {
    return this.times(1, async () => {
      this.breaks(what);
      await breaks(this);
      await sleep(downMs);
      await mends(this);
      this.mends(`${what}: over`);
    });
  }

  breaks(what: string): void {
    this.happenings.push({ atMs: Date.now(), what });
  }

  mends(what: string): void {
    this.breaks(what);
    this.mendedMs.push(Date.now());
  }

  /** Waits until no reply is in flight and none is in the caller's queue. */
  async isQuiet(): Promise<void> {
    const { caller } = this;
    const fromMs = Date.now();
    await until('no reply is under way', async () => {
      const quietMs = Date.now() - Math.max(fromMs, caller.seen.at(-1)?.atMs ?? 0);
      return quietMs >= QUIET_MS && (await caller.count(caller.replyQueue)) === 0;
    });
  }

  /** Returns the number of messages left in the queues of the service, once it no longer falls. */
  async left(): Promise<number> {
    const count = async (): Promise<number> => {
      const counts = await Promise.all(QUEUES.map((queue) => this.caller.count(`${this.prefix}.${queue}`)));
      return counts.reduce((sum, each) => sum + each, 0);
    };
    await until('nothing is left', async () => (await count()) === 0, 30_000).catch(() => undefined);
    return count();
  }

  /**
   * Sends the load during the faults of a row, at least until they are over, and waits for the replies.
   *
   * @returns the outcome of every command so far
   */
  async play(disturb: () => Promise<void>): Promise<Verdict> {
    let isOver = false;
    const disturbed = disturb().finally(() => (isOver = true));
    await Promise.all([this.load.send(() => isOver), disturbed]);
    await this.load.settle();
    return verdictOf(this.ledger.entries);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }

  async #start(): Promise<void> {
    const { wishes, commands, perSecond } = this.#options;
    [this.broker, this.redis, this.platform] = await Promise.all([
      startBrokerUnderChaos(wishes).then((broker) => this.#parts.use(broker)),
      PrivateRedis.start().then((redis) => this.#parts.use(redis)),
      PlatformStub.start((request, response, socket) => {
        const player = playerOf(request);
        if (player !== undefined) this.ledger.called(player);
        return (this.fault ?? answer)(request, response, socket);
      }).then((platform) => this.#parts.use(platform)),
    ]);
    const { workers: count = 2, start = (_, variables) => new WorkerUnderTest(variables) } = wishes;
    this.workers = this.#parts.use(
      keepWorkers(
        count,
        (number) =>
          start(number, {
            ...this.platform.variables,
            PLATFORM_CLIENT_ID: `worker-${number}`,
            AMQP_URL: this.broker.workerUrl,
            AMQP_PREFIX: this.prefix,
            REDIS_URL: this.redis.url,
            REPORTS_RETRY_DELAYS_MS: RETRY_DELAYS_MS,
            ...wishes.variables,
          }),
        (number, output) => {
          this.breaks(`worker ${number} crashed`);
          this.crashes.push(output);
        },
      ),
    );
    await this.workers.areReady();
    this.caller = this.#parts.use(
      await DurableCaller.open(this.broker.urls.toReversed(), this.prefix, {
        queueArguments: wishes.replyQueue ?? {},
        onPublish: (id) => this.ledger.published(id),
        onReply: (reply) => this.ledger.replied(reply),
      }),
    );
    // RabbitMQ can lose a quorum queue whose node is killed right after its declaration.
    await sleep(3_000);
    this.load = chaosLoad(this.caller, this.ledger, { commands, perSecond });
  }
}

const answer: PlatformBehaviour = async (request, response, socket) => {
  await sleep(PLATFORM_MS);
  await healthy(PAGES)(request, response, socket);
};
