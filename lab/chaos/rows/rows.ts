import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import type { Broker } from '../../../scripts/broker/start-broker.ts';
import { WorkerUnderTest } from '../../../test/support/worker-under-test.ts';
import { Gate, healthy, playerOf, silent, unavailable } from '../../../test/support/platform-answers.ts';
import type { PlatformBehaviour } from '../../../test/support/platform-stub.ts';
import { type ChaosStage, PAGES } from '../stage/chaos-stage.ts';
import { DIVISION_ROWS } from './division-rows.ts';
import { outage, type Row } from './row.ts';

const CUTS = 6;
/** The id of the poison command and of its player. */
const POISON = 'poison';
const SHIFTED = fileURLToPath(new URL('../stage/shifted-clock.mjs', import.meta.url));

/** The platform executes the call and resets the connection instead of answering. */
const resets: PlatformBehaviour = (_request, _response, socket) => void socket.resetAndDestroy();

const WORKER_ROWS: readonly Row[] = [
  {
    name: 'worker-kill',
    title: 'one of two workers killed, six times',
    disturb: (stage) =>
      stage.times(CUTS, async (turn) => {
        stage.mends('worker killed');
        await stage.workers.end(turn % 2, 'SIGKILL');
        await stage.workers.areReady();
        stage.breaks('its successor takes commands');
      }),
  },
  {
    name: 'rolling-restart',
    title: 'two workers stopped in turn (SIGTERM), twice',
    disturb: (stage) =>
      stage.times(2, async () => {
        for (const number of [0, 1]) {
          stage.breaks(`worker ${number} is stopped`);
          await stage.workers.end(number, 'SIGTERM');
          await stage.workers.areReady();
          stage.mends('its successor takes commands');
        }
      }),
  },
  {
    name: 'tcp-cuts',
    title: 'connections of the workers cut, six times',
    disturb: (stage) =>
      stage.times(CUTS, async () => {
        stage.broker.path.cut();
        stage.mends('connections cut');
      }),
  },
  outage({
    name: 'stalled-link',
    title: 'the link to the broker stalls for 12 s',
    what: 'the link stalls',
    // Longer than two heartbeats of the workers.
    downMs: 12_000,
    breaks: ({ broker }) => broker.path.stall(),
    mends: ({ broker }) => broker.path.resume(),
  }),
  {
    name: 'forced-closes',
    title: 'all connections closed by the broker, six times',
    disturb: (stage) =>
      stage.times(CUTS, async () => {
        stage.breaks('all connections are being closed');
        await stage.broker.node.ctl('close_all_connections', 'chaos');
        stage.mends('all connections closed');
      }),
  },
  outage({
    name: 'broker-kill',
    title: 'the broker killed, and started again 3 s later',
    what: 'broker killed',
    downMs: 3_000,
    breaks: ({ broker }) => broker.node.kill(),
    mends: ({ broker }) => broker.node.restart(),
  }),
  outage({
    name: 'memory-alarm',
    title: 'memory alarm for 5 s',
    what: 'memory alarm',
    downMs: 5_000,
    breaks: ({ broker }) => broker.node.ctl('set_vm_memory_high_watermark', '0.00001'),
    mends: ({ broker }) => broker.node.ctl('set_vm_memory_high_watermark', '0.4'),
  }),
];

const SURROUNDINGS_ROWS: readonly Row[] = [
  outage({
    name: 'redis-kill',
    title: 'Redis killed, and started again empty 3 s later',
    what: 'Redis killed',
    downMs: 3_000,
    breaks: ({ redis }) => redis.kill(),
    mends: ({ redis }) => redis.restart(),
  }),
  outage({
    name: 'reply-queue-deleted',
    title: 'the reply queue deleted, and there again 3 s later',
    what: 'reply queue deleted',
    downMs: 3_000,
    breaks: async (stage) => {
      // Deleting the queue also deletes the replies in it, so wait until it is empty while commands are in
      // flight.
      const gate = new Gate();
      stage.fault = gate.behind(healthy(PAGES));
      await stage.isQuiet();
      await stage.caller.deleteQueue();
      stage.fault = undefined;
      gate.open();
    },
    mends: ({ caller }) => caller.resume(),
  }),
  outage({
    name: 'reply-queue-full',
    title: 'the reply queue full for 5 s (it rejects)',
    wishes: { replyQueue: { 'x-max-length': 100, 'x-overflow': 'reject-publish' } },
    what: 'nobody reads the replies',
    downMs: 5_000,
    breaks: ({ caller }) => caller.pause(),
    mends: ({ caller }) => caller.resume(),
  }),
  outage({
    name: 'platform-resets',
    title: 'the platform resets connections after it has done the call, for 2 s',
    what: 'the platform resets',
    downMs: 2_000,
    fault: resets,
  }),
  outage({
    name: 'platform-hangs',
    title: 'the platform does not answer for 10 s',
    what: 'the platform hangs',
    downMs: 10_000,
    fault: silent,
  }),
  outage({
    name: 'platform-503',
    title: 'the platform answers 503 for a minute',
    what: 'the platform answers 503',
    downMs: 60_000,
    fault: unavailable,
  }),
  {
    name: 'poison',
    title: 'a command that kills its worker each time',
    disturb: (stage) =>
      stage.times(1, async () => {
        stage.fault = async (request, response, socket) => {
          if (playerOf(request) !== POISON) return healthy(PAGES)(request, response, socket);
          const number = Number(/worker-(\d+)/.exec(request.url.search)?.[1] ?? 0);
          stage.breaks(`the command kills worker ${number}`);
          await stage.workers.end(number, 'SIGKILL');
        };
        stage.ledger.sent(POISON, 'session.create', true);
        await stage.caller.publish('session.create', POISON, { userId: POISON });
        stage.ledger.delivered(POISON);
      }),
  },
  {
    name: 'clock-forward',
    title: 'the clock of one worker set forward by an hour',
    wishes: {
      start: (number, variables) =>
        new WorkerUnderTest(number === 0 ? { ...variables, NODE_OPTIONS: `--import=${SHIFTED}` } : variables),
    },
    disturb: (stage) =>
      stage.times(1, async () => {
        stage.workers.programs[0]?.kill('SIGUSR2');
        stage.mends('the clock of worker 0 is set forward');
      }),
  },
];

/** Longer than `net_ticktime`, so that the other nodes declare the node down. */
const PAUSE_MS = 15_000;

async function killOne(stage: ChaosStage, what: 'leader' | 'follower'): Promise<void> {
  const { nodes } = stage.broker.cluster;
  const [leader = nodes[0]] = await stage.broker.view.leadersOf([`${stage.prefix}.interactive`]);
  const node = anyOf(stage, (each) => (each === leader) === (what === 'leader'));
  stage.breaks(`${what} ${node.name} killed`);
  await node.kill();
  stage.mendedMs.push(Date.now());
  await sleep(3_000);
  await node.restart();
  stage.breaks(`${node.name} is back`);
}

function anyOf({ broker, random }: ChaosStage, isWanted = (_node: Broker): boolean => true): Broker {
  const nodes = broker.cluster.nodes.filter(isWanted);
  return nodes[Math.floor(random() * nodes.length)] as Broker;
}

const CLUSTER_ROWS: readonly Row[] = [
  {
    name: 'leader-kill',
    title: 'three nodes: that of the queue’s leader killed',
    disturb: (stage: ChaosStage) => stage.times(1, () => killOne(stage, 'leader')),
  },
  {
    name: 'follower-kill',
    title: 'three nodes: another one killed',
    disturb: (stage: ChaosStage) => stage.times(1, () => killOne(stage, 'follower')),
  },
  {
    name: 'node-pause',
    title: 'three nodes: one paused for 15 s (SIGSTOP)',
    disturb: (stage: ChaosStage) => {
      const node = anyOf(stage);
      return stage.outage(
        `${node.name} paused`,
        PAUSE_MS,
        () => node.signal('SIGSTOP'),
        () => node.signal('SIGCONT'),
      );
    },
  },
  {
    name: 'cluster-restart',
    title: 'three nodes: all restarted in turn',
    disturb: (stage: ChaosStage) =>
      stage.times(1, async () => {
        for (const node of stage.broker.cluster.nodes) {
          stage.breaks(`${node.name} is stopped`);
          await node.shutDown();
          stage.mendedMs.push(Date.now());
          await node.restart();
          stage.breaks(`${node.name} is back`);
          await stage.broker.view.isWhole();
        }
      }),
  },
].map((row) => ({ ...row, wishes: { nodes: 3 } }));

/** All rows, in the order in which they are played. */
export const ROWS: readonly Row[] = [...WORKER_ROWS, ...CLUSTER_ROWS, ...DIVISION_ROWS, ...SURROUNDINGS_ROWS];
