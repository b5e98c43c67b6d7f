import { setTimeout as sleep } from 'node:timers/promises';

import { openConnection, uniquePrefix } from '../../support/broker.ts';
import { DurableCaller } from '../../e2e/cluster/durable-caller.ts';
import { healthy, playerOf } from '../../support/platform-answers.ts';
import { type PlatformBehaviour, PlatformStub } from '../../support/platform-stub.ts';
import { PrivateRedis } from '../../../scripts/private-redis.ts';
import { until } from '../../support/until.ts';
import type { Program } from '../../../scripts/processes/program.ts';
import { WorkerProcess } from '../../../scripts/processes/worker-process.ts';
import { Ledger } from '../ledger/ledger.ts';
import type { Happening } from '../ledger/story.ts';
import { ChaosLoad } from '../load/chaos-load.ts';
import { type BrokerUnderChaos, startBrokerUnderChaos } from './broker-under-chaos.ts';
import type { System } from './systems.ts';
import { Workers } from './workers.ts';

/** What a row needs. */
export interface StageWishes {
  /** Default: 1. */
  readonly nodes?: 1 | 3;
  /** Default: 2. */
  readonly workers?: number;
  /** Settings of all workers. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Further settings of the worker with this number. */
  readonly variablesOf?: (number: number) => Readonly<Record<string, string>>;
  /** Further arguments of the caller's reply queue. */
  readonly replyQueue?: Readonly<Record<string, unknown>>;
}

export interface StageOptions {
  readonly system: System;
  readonly wishes: StageWishes;
  readonly commands: number;
  readonly perSecond: number;
  /** 0 to 1. */
  readonly random: () => number;
  readonly peer: (program: string) => string;
}

const PAGES = 3;
const PLATFORM_MS = 20;
const READY_TIMEOUT_MS = 90_000;
const SEND_POLL_MS = 10;
/** Without a reply, after which none is under way; longer than a busy machine holds one up. */
const QUIET_MS = 2_000;

/** Workers under load, with all that they talk to, and what a row breaks. */
export class ChaosStage implements AsyncDisposable {
  readonly ledger = new Ledger();
  readonly happenings: Happening[] = [];
  /** When something worked again, from which recovery is counted. */
  readonly mendedMs: number[] = [];
  readonly outputs: string[] = [];
  broker!: BrokerUnderChaos;
  platform!: PlatformStub;
  redis!: PrivateRedis;
  caller!: DurableCaller;
  workers!: Workers;
  load!: ChaosLoad;
  /** What the platform does with a call, if a row has it do something else than to answer. */
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

  /** 0 to 1; repeats under the same seed. */
  get random(): () => number {
    return this.#options.random;
  }

  /** Waits until so much of the load was sent, 0 to 1. */
  async at(share: number): Promise<void> {
    while (this.load.share < share) await sleep(SEND_POLL_MS);
  }

  /**
   * Does something a number of times, at moments spread over the load by chance.
   *
   * @param act is given how often it was called before
   */
  async times(count: number, act: (turn: number) => Promise<void>): Promise<void> {
    for (let turn = 0; turn < count; turn += 1) {
      await this.at((turn + 0.2 + 0.6 * this.random()) / (count + 0.5));
      await act(turn);
    }
  }

  /** Notes what is broken now. */
  breaks(what: string): void {
    this.happenings.push({ atMs: Date.now(), what });
  }

  /** Notes that something works again. */
  mends(what: string): void {
    this.breaks(what);
    this.mendedMs.push(Date.now());
  }

  /** Waits until no reply is under way any more, and none lies in the caller's queue. */
  async isQuiet(): Promise<void> {
    const { caller } = this;
    const fromMs = Date.now();
    await until('no reply is under way', async () => {
      const quietMs = Date.now() - Math.max(fromMs, caller.seen.at(-1)?.atMs ?? 0);
      return quietMs >= QUIET_MS && (await caller.count(caller.replyQueue)) === 0;
    });
  }

  /** Messages that are left in the queues of the system, once they get no fewer. */
  async left(): Promise<number> {
    const queues = this.#options.system.queues(this.prefix);
    const count = async (): Promise<number> => {
      const counts = await Promise.all(queues.map((queue) => this.caller.count(queue)));
      return counts.reduce((sum, each) => sum + each, 0);
    };
    await until('nothing is left', async () => (await count()) === 0, 30_000).catch(() => undefined);
    return count();
  }

  /** Enters what a worker of ours has logged of its answers; other services log none. */
  readAcknowledgements({ stdout }: Program): void {
    for (const line of stdout.split('\n')) {
      if (!line.includes('"msg":"command answered"')) continue;
      const { id, time } = JSON.parse(line) as { readonly id: string; readonly time: string };
      this.ledger.acknowledged(id, Date.parse(time));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }

  async #start(): Promise<void> {
    const { system, wishes, commands, perSecond } = this.#options;
    const { nodes = 1, workers: count = 2 } = wishes;
    [this.broker, this.redis, this.platform] = await Promise.all([
      startBrokerUnderChaos(nodes).then((broker) => this.#parts.use(broker)),
      PrivateRedis.start().then((redis) => this.#parts.use(redis)),
      PlatformStub.start((request, response, socket) => {
        const player = playerOf(request);
        if (player !== undefined) this.ledger.called(player);
        return (this.fault ?? answer)(request, response, socket);
      }).then((platform) => this.#parts.use(platform)),
    ]);
    const { urls } = this.broker;
    this.workers = this.#parts.use(
      await Workers.start({
        count,
        start: (number) =>
          system.start(this.prefix, {
            amqpUrl: this.broker.workerUrl,
            platform: { ...this.platform.variables, PLATFORM_CLIENT_ID: `worker-${number}` },
            redisUrl: this.redis.url,
            peer: this.#options.peer,
            number,
            variables: { ...wishes.variables, ...wishes.variablesOf?.(number) },
          }),
        areReady: (programs) => this.#takeCommands(programs),
        onCrash: (number, output) => {
          this.breaks(`worker ${number} crashed`);
          this.outputs.push(output);
        },
        onEnd: (program) => this.readAcknowledgements(program),
      }),
    );
    this.caller = this.#parts.use(
      await DurableCaller.open(urls.toReversed(), this.prefix, {
        speech: system.speech(this.prefix),
        queueArguments: wishes.replyQueue ?? {},
        onPublish: (id) => this.ledger.published(id),
        onReply: (reply) => this.ledger.replied(reply.correlationId, reply),
      }),
    );
    // RabbitMQ can lose a quorum queue whose node is killed right after its declaration.
    await sleep(3_000);
    const { hasReports } = system;
    this.load = new ChaosLoad(this.caller, this.ledger, { commands, perSecond, name: 'c', hasReports });
  }

  /** Asks workers of ours; of others, their queue tells who consumes from it. */
  async #takeCommands(programs: readonly Program[]): Promise<void> {
    const asked = programs.filter((program) => program instanceof WorkerProcess);
    await Promise.all(asked.map((program) => program.ready()));
    if (asked.length === programs.length) return;
    const queue = this.#options.system.queue(this.prefix);
    await until(
      'the workers take commands',
      async () => {
        await using asking = await openConnection(this.broker.urls[0]);
        const found = await asking.channel.checkQueue(queue).catch(() => undefined);
        return (found?.consumerCount ?? 0) >= programs.length;
      },
      READY_TIMEOUT_MS,
    );
  }
}

const answer: PlatformBehaviour = async (request, response, socket) => {
  await sleep(PLATFORM_MS);
  await healthy(PAGES)(request, response, socket);
};
