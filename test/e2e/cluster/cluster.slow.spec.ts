import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { Broker } from '../../../scripts/broker/start-broker.ts';
import type { WorkerUnderTest } from '../../support/worker-under-test.ts';
import { storyOf } from '../../../lab/chaos/ledger/ledger.ts';
import { ChaosStage, PAGES } from '../../../lab/chaos/stage/chaos-stage.ts';
import { Gate, healthy } from '../../support/platform-answers.ts';
import { until } from '../../support/until.ts';

const PER_SECOND = 60;
const WARM_COMMANDS = 20;
/** Long timeouts, because the platform runs in this process, which a busy machine may delay for seconds. */
const VARIABLES = { PLATFORM_ATTEMPT_TIMEOUT_MS: '60000', INTERACTIVE_DEADLINE_MS: '120000' };

/** `npm run chaos` breaks more of a cluster, for longer. */
describe('a worker on a cluster of three nodes', () => {
  const startedMs = Date.now();
  let stage: ChaosStage;
  let worker: WorkerUnderTest;
  let lanes: readonly string[];
  let nodes: readonly Broker[];

  beforeAll(async () => {
    const wishes = { nodes: 3, workers: 1, variables: VARIABLES } as const;
    stage = await ChaosStage.start({ wishes, commands: 0, perSecond: PER_SECOND, random: Math.random });
    worker = stage.workers.programs[0]!;
    lanes = ['interactive', 'reports'].map((lane) => `${stage.prefix}.${lane}`);
    ({ nodes } = stage.broker.cluster);
    // This dead letter must still exist after each test.
    await stage.caller.publish('session.create', 'refused', {});
    await until('it is refused', () => stage.caller.seen.some(({ messageId }) => messageId === 'refused:0'));
  });
  afterAll(() => stage?.[Symbol.asyncDispose]());

  /** Returns the one or two nodes to which the worker's two connections lead. */
  const serving = () => stage.broker.view.serving();
  const otherThan = (...some: readonly Broker[]) => nodes.find((each) => !some.includes(each))!;
  const isReady = async () => (await worker.get('/health/ready')).status === 200;
  /** Waits until this many more commands were sent and answered. */
  const more = async (commands: number): Promise<void> => {
    const { ledger } = stage;
    const from = ledger.size;
    await until(`${commands} more are answered`, () => {
      const sent = ledger.entries.slice(from, from + commands);
      const answered = sent.filter(({ replies }) => replies.some(({ isFinal }) => isFinal));
      return answered.length === commands;
    });
  };

  /**
   * Runs a test under load. Afterwards, expects that every command was answered completely and in order, each
   * session was created once, only earlier messages remain in the queues, and the worker logged no errors.
   */
  const underLoad = async (test: () => Promise<void>): Promise<void> => {
    const { lost, wrong, calledAgain, failures } = await stage.play(async () => {
      await more(WARM_COMMANDS);
      await test();
    });
    const inDisorder = stage.ledger.entries.filter(({ replies }) => {
      const sequences = replies
        .filter(({ messageId }, n) => replies.findIndex((reply) => reply.messageId === messageId) === n)
        // A reply that was being delivered when the caller's node died is redelivered after those that
        // followed it.
        .filter(({ isRedelivered }) => !isRedelivered)
        .map(({ messageId }) => Number(messageId.split(':').at(-1)));
      return sequences.some((sequence, n) => sequence < (sequences[n - 1] ?? 0));
    });
    const faulty = new Set([...lost, ...wrong, ...calledAgain, ...inDisorder]);
    expect([...faulty].map((entry) => storyOf(entry, startedMs, stage.happenings))).toEqual([]);
    expect(failures).toEqual([]);
    await until('all is acknowledged', async () => (await worker.metric('poker_commands_in_flight')) === 0);
    expect(await stage.left()).toBe(0);
    expect(await stage.caller.count(`${stage.prefix}.dead-letters`)).toBe(1);
    await worker.ready();
    expect(worker.stderr).toBe('');
  };

  it('continues on another node when its own node, which leads all queues, dies', () =>
    underLoad(async () => {
      const lost = (await serving())[0]!;
      await stage.broker.view.moveLeaders([...lanes, stage.caller.replyQueue], lost);
      await lost.kill();
      await more(40);
      await worker.ready();
      expect(await serving()).not.toContain(lost);
      await lost.restart();
    }));

  it('survives a rolling restart of the nodes', () =>
    underLoad(async () => {
      for (const node of nodes) {
        await more(20);
        await node.shutDown();
        await more(20);
        await node.restart();
      }
      await more(40);
    }));

  it('stays connected, and ready, when the leaders of its lanes die on another node', () =>
    underLoad(async () => {
      const { view } = stage.broker;
      let wasReady = true;
      const watching = new AbortController();
      const watch = async (): Promise<void> => {
        for (; !watching.signal.aborted; await sleep(10)) wasReady &&= await isReady();
      };
      const watched = watch();
      const before = await serving();
      const lost = otherThan(...before);
      await view.moveLeaders(lanes, lost);
      await more(20);
      await lost.kill();
      await more(40);
      expect(await view.leadersOf(lanes)).not.toContain(lost);
      expect(await serving()).toEqual(before);
      await lost.restart();
      watching.abort();
      await watched;
      expect(wasReady).toBe(true);
    }));

  it('is not ready while two nodes are down and no queue has a majority', () =>
    underLoad(async () => {
      const own = await serving();
      const [one, other] = [...own, otherThan(...own)];
      await Promise.all([one?.kill(), other?.kill()]);
      await until('it is not ready', async () => !(await isReady()));
      expect((await worker.get('/health/live')).status).toBe(200);
      expect(await worker.metric('poker_broker_connected')).toBe(0);
      await one?.restart();
      await more(40);
      await worker.ready();
      await other?.restart();
    }));

  it('becomes unready after a missing confirm if only its own node is up', () =>
    underLoad(async () => {
      const [host] = await serving();
      const others = nodes.filter((node) => node !== host);
      const gate = new Gate();
      stage.fault = gate.behind(healthy(PAGES));
      await until('some are in flight', () => gate.held > 3);
      await Promise.all(others.map((node) => node.kill()));
      gate.open();
      stage.fault = undefined;
      await until('it is not ready', async () => !(await isReady()), 30_000);
      await Promise.all(others.map((node) => node.restart()));
      await more(40);
    }));

  it('leaves a node that an operator drains for maintenance', () =>
    underLoad(async () => {
      const drained = (await serving())[0]!;
      await drained.ctl('eval', 'rabbit_maintenance:drain().');
      await more(40);
      await worker.ready();
      expect(await serving()).not.toContain(drained);
      await drained.ctl('eval', 'rabbit_maintenance:revive().');
    }));
});
