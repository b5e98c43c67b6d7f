import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@jest/globals';

import { type Cluster, startCluster } from '../../../scripts/broker/start-cluster.ts';
import type { Broker } from '../../../scripts/broker/start-broker.ts';
import { uniquePrefix } from '../../support/broker.ts';
import { healthy, playerOf } from '../../support/platform-answers.ts';
import { PlatformStub } from '../../support/platform-stub.ts';
import { until } from '../../support/until.ts';
import { WorkerProcess } from '../../../scripts/processes/worker-process.ts';
import { ClusterView } from './cluster-view.ts';
import { DurableCaller } from './durable-caller.ts';
import { Load } from './load.ts';

const INTERVAL_MS = 10;

/**
 * Asks a worker again and again whether it is ready.
 *
 * @returns what ends that, and has the status codes, without repeats in a row
 */
export function watchReadiness(worker: WorkerProcess): () => Promise<readonly number[]> {
  const changes: number[] = [];
  let isStopped = false;
  const ask = async (): Promise<void> => {
    while (!isStopped) {
      const { status } = await worker.get('/health/ready');
      if (changes.at(-1) !== status) changes.push(status);
      await sleep(INTERVAL_MS);
    }
  };
  const asking = ask();
  // A test that failed meanwhile does not read it.
  asking.catch(() => undefined);
  return async () => {
    isStopped = true;
    await asking;
    return changes;
  };
}

const PAGES = 3;
const PLATFORM_MS = 20;
const ACKNOWLEDGE_TIMEOUT_MS = 30_000;

/** A worker that knows all three nodes of a cluster, with a platform and a caller. */
export class ClusteredService implements AsyncDisposable {
  readonly view: ClusterView;
  readonly #prefix: string;
  readonly #loads: Load[] = [];

  private constructor(
    readonly cluster: Cluster,
    readonly platform: PlatformStub,
    readonly worker: WorkerProcess,
    readonly caller: DurableCaller,
    prefix: string,
  ) {
    this.view = new ClusterView(cluster);
    this.#prefix = prefix;
  }

  static async start(): Promise<ClusteredService> {
    const prefix = uniquePrefix();
    const [cluster, platform] = await Promise.all([
      startCluster(),
      PlatformStub.start(async (request, response, socket) => {
        await sleep(PLATFORM_MS);
        await healthy(PAGES)(request, response, socket);
      }),
    ]);
    const urls = cluster.nodes.map(({ url }) => url);
    const variables = {
      ...platform.variables,
      AMQP_URL: urls.join(),
      AMQP_PREFIX: prefix,
      // The platform is part of this process, which a busy machine may delay for seconds.
      PLATFORM_ATTEMPT_TIMEOUT_MS: '60000',
      INTERACTIVE_DEADLINE_MS: '120000',
    };
    const worker = await new WorkerProcess(variables).ready();
    const caller = await DurableCaller.open(urls.toReversed(), prefix);
    // One dead letter, to be found again after each test.
    await caller.publish('session.create', 'refused', {});
    await until('it is refused', () => caller.seen.some(({ messageId }) => messageId === 'refused:0'));
    // RabbitMQ 3.10 can lose a quorum queue whose node is killed right after its declaration.
    await sleep(2_000);
    return new ClusteredService(cluster, platform, worker, caller, prefix);
  }

  get lanes(): readonly string[] {
    return ['interactive', 'reports'].map((lane) => `${this.#prefix}.${lane}`);
  }

  /** The nodes that have the two connections of the worker: one, or one each. */
  async serving(): Promise<readonly [Broker, ...Broker[]]> {
    const [first, ...more] = await this.view.serving();
    if (!first) throw new Error('the worker is not connected');
    return [first, ...more];
  }

  /** Runs a test. If it fails, the worker's log and the broker's view are kept, and the error says where. */
  async run(test: () => Promise<void>): Promise<void> {
    try {
      await test();
    } catch (error) {
      const folder = mkdtempSync(join(tmpdir(), 'poker-bridge-cluster-'));
      writeFileSync(join(folder, 'worker.log'), this.worker.stdout + this.worker.stderr);
      writeFileSync(join(folder, 'broker.txt'), await this.view.describe());
      throw new Error(`${(error as Error).message}\nThe worker's log and the broker's view: ${folder}`, {
        cause: error,
      });
    }
  }

  /** A node that is none of these. */
  otherThan(...nodes: readonly Broker[]): Broker {
    return this.cluster.nodes.find((each) => !nodes.includes(each)) as Broker;
  }

  /** Begins a load; `name` must be unique. */
  load(name: string): Load {
    this.platform.requests.length = 0;
    const load = new Load(this.caller, name);
    this.#loads.push(load);
    return load;
  }

  /**
   * Ends a load: every command of it was answered to its end, in order, each session was created once, nothing is
   * left in a queue but what was there before, and the worker logged no errors.
   */
  async expectAnswered(load: Load): Promise<void> {
    const outcomes = await load.stop();
    expect(outcomes).toEqual(
      outcomes.map(({ id, isReport }) => ({
        id,
        isReport,
        messageIds: Array.from({ length: isReport ? PAGES + 1 : 1 }, (_, n) => `${id}:${n}`),
        finalTypes: [isReport ? 'report.completed' : 'session.created'],
        repeatsAreEqual: true,
      })),
    );
    const sessions = outcomes.filter(({ isReport }) => !isReport).map(({ id }) => id);
    const players = this.platform.requests.map(playerOf).filter((player) => player !== undefined);
    expect(players.toSorted()).toEqual(sessions.toSorted());
    await until(
      'all is acknowledged',
      async () => (await this.worker.metric('poker_commands_in_flight')) === 0,
      ACKNOWLEDGE_TIMEOUT_MS,
    );
    // Parked replies are delivered later, even repeats of replies that reached the caller after all.
    for (const queue of ['interactive', 'reports', 'quarantine', 'replies.undelivered', 'dead-letters']) {
      const kept = queue === 'dead-letters' ? 1 : 0;
      const left = () => this.caller.count(`${this.#prefix}.${queue}`);
      await until(`${queue} holds ${kept}`, async () => (await left()) === kept, ACKNOWLEDGE_TIMEOUT_MS);
    }
    await this.worker.ready();
    expect(this.worker.stderr).toBe('');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const load of this.#loads) load.end();
    await this.worker[Symbol.asyncDispose]();
    await this.caller[Symbol.asyncDispose]();
    await this.platform[Symbol.asyncDispose]();
    await this.cluster[Symbol.asyncDispose]();
  }
}
