import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect } from '@jest/globals';

import type { Broker } from '../../../scripts/broker/start-broker.ts';
import type { WorkerProcess } from '../../../scripts/processes/worker-process.ts';
import { storyOf } from '../../chaos/ledger/story.ts';
import { verdictOf } from '../../chaos/ledger/verdict.ts';
import { ChaosStage } from '../../chaos/stage/chaos-stage.ts';
import { until } from '../../support/until.ts';

const INTERVAL_MS = 10;
const PER_SECOND = 60;
const WARM_COMMANDS = 20;
const ANSWER_TIMEOUT_MS = 30_000;

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

/** A service that is there while the tests of a suite run. */
export function clusteredForAll(): ClusteredService {
  const service = new ClusteredService();
  beforeAll(() => service.open());
  afterAll(() => service.stage?.[Symbol.asyncDispose]());
  return service;
}

/** One worker that knows all three nodes of a cluster, on a stage of the chaos tests. */
class ClusteredService {
  stage!: ChaosStage;
  worker!: WorkerProcess;
  readonly #startedMs = Date.now();

  async open(): Promise<void> {
    // The platform is part of this process, which a busy machine may delay for seconds.
    const variables = { PLATFORM_ATTEMPT_TIMEOUT_MS: '60000', INTERACTIVE_DEADLINE_MS: '120000' };
    const wishes = { nodes: 3, workers: 1, variables } as const;
    const stage = await ChaosStage.start({ wishes, commands: 0, perSecond: PER_SECOND, random: Math.random });
    this.stage = stage;
    this.worker = stage.workers.programs[0] as WorkerProcess;
    // One dead letter, to be found again after each test.
    await stage.caller.publish('session.create', 'refused', {});
    await until('it is refused', () => stage.caller.seen.some(({ messageId }) => messageId === 'refused:0'));
  }

  get lanes(): readonly string[] {
    return ['interactive', 'reports'].map((lane) => `${this.stage.prefix}.${lane}`);
  }

  /** The nodes that have the two connections of the worker: one, or one each. */
  async serving(): Promise<readonly [Broker, ...Broker[]]> {
    const [first, ...more] = await this.stage.broker.view.serving();
    if (!first) throw new Error('the worker is not connected');
    return [first, ...more];
  }

  /** A node that is none of these. */
  otherThan(...nodes: readonly Broker[]): Broker {
    return this.stage.broker.cluster.nodes.find((each) => !nodes.includes(each)) as Broker;
  }

  /** Waits until some more commands were sent, and answered. */
  async more(commands: number): Promise<void> {
    const { ledger } = this.stage;
    const from = ledger.size;
    const isAnswered = () =>
      ledger.size >= from + commands &&
      ledger.entries
        .slice(from, from + commands)
        .every(({ replies }) => replies.some(({ isFinal }) => isFinal));
    await until(`${commands} more are answered`, isAnswered);
  }

  /**
   * Runs a test under load. Then every command was answered to its end, in order, each session was created once, nothing is
   * left in a queue but what was there before, and the worker logged no errors.
   */
  async underLoad(test: () => Promise<void>): Promise<void> {
    const { load, ledger, happenings } = this.stage;
    let isOver = false;
    const sending = load.send(() => isOver);
    try {
      await this.more(WARM_COMMANDS);
      await test();
    } finally {
      isOver = true;
      await sending;
    }
    await load.settle();
    const { lost, wrong, calledAgain, failures } = verdictOf(ledger.entries);
    const inDisorder = ledger.entries.filter(({ id, replies }) =>
      [...new Set(replies.map(({ messageId }) => messageId))].some((each, n) => each !== `${id}:${n}`),
    );
    const faulty = new Set([...lost, ...wrong, ...calledAgain, ...inDisorder]);
    expect([...faulty].map((entry) => storyOf(entry, this.#startedMs, happenings))).toEqual([]);
    expect(failures).toEqual([]);
    const isIdle = async () => (await this.worker.metric('poker_commands_in_flight')) === 0;
    await until('all is acknowledged', isIdle, ANSWER_TIMEOUT_MS);
    expect(await this.stage.left()).toBe(0);
    expect(await this.stage.caller.count(`${this.stage.prefix}.dead-letters`)).toBe(1);
    await this.worker.ready();
    expect(this.worker.stderr).toBe('');
  }
}
