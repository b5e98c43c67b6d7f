import { fileURLToPath } from 'node:url';

import { WorkerProcess } from '../../../scripts/processes/worker-process.ts';
import { Gate, healthy, playerOf, silent, unavailable } from '../../support/platform-answers.ts';
import type { PlatformBehaviour } from '../../support/platform-stub.ts';
import { PAGES } from '../stage/chaos-stage.ts';
import { once, type Row } from './row.ts';

const CUTS = 6;
/** Its id, and that of its player. */
const POISON = 'poison';
const SHIFTED = fileURLToPath(new URL('../stage/shifted-clock.mjs', import.meta.url));

/** The call is done, and its answer never arrives. */
const resets: PlatformBehaviour = (_request, _response, socket) => void socket.resetAndDestroy();

function platform(what: string, downMs: number, fault: PlatformBehaviour): Row['disturb'] {
  return once(
    what,
    downMs,
    (stage) => (stage.fault = fault),
    (stage) => (stage.fault = undefined),
  );
}

/** Workers, connections and the broker. */
export const WORKER_ROWS: readonly Row[] = [
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
  {
    name: 'stalled-link',
    title: 'the link to the broker stalls for 12 s',
    // Longer than two heartbeats of the workers.
    disturb: once(
      'the link stalls',
      12_000,
      ({ broker }) => broker.path.stall(),
      ({ broker }) => broker.path.resume(),
    ),
  },
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
  {
    name: 'broker-kill',
    title: 'the broker killed, and started again 3 s later',
    disturb: once(
      'broker killed',
      3_000,
      ({ broker }) => broker.node.kill(),
      ({ broker }) => broker.node.restart(),
    ),
  },
  {
    name: 'memory-alarm',
    title: 'memory alarm for 5 s',
    disturb: once(
      'memory alarm',
      5_000,
      ({ broker }) => broker.node.ctl('set_vm_memory_high_watermark', '0.00001'),
      ({ broker }) => broker.node.ctl('set_vm_memory_high_watermark', '0.4'),
    ),
  },
];

export const SURROUNDINGS_ROWS: readonly Row[] = [
  {
    name: 'redis-kill',
    title: 'Redis killed, and started again empty 3 s later',
    disturb: once(
      'Redis killed',
      3_000,
      ({ redis }) => redis.kill(),
      ({ redis }) => redis.restart(),
    ),
  },
  {
    name: 'reply-queue-deleted',
    title: 'the reply queue deleted, and there again 3 s later',
    disturb: async (stage) => {
      const gate = new Gate();
      const isGone = once(
        'reply queue deleted',
        3_000,
        async () => {
          // What lies in a queue goes with it: no reply is under way then, and commands are in flight.
          stage.fault = gate.behind(healthy(PAGES));
          await stage.isQuiet();
          await stage.caller.deleteQueue();
          stage.fault = undefined;
          gate.open();
        },
        () => stage.caller.resume(),
      );
      await isGone(stage);
    },
  },
  {
    name: 'reply-queue-full',
    title: 'the reply queue full for 5 s (it rejects)',
    wishes: { replyQueue: { 'x-max-length': 100, 'x-overflow': 'reject-publish' } },
    disturb: once(
      'nobody reads the replies',
      5_000,
      ({ caller }) => caller.pause(),
      ({ caller }) => caller.resume(),
    ),
  },
  {
    name: 'platform-resets',
    title: 'the platform resets connections after it has done the call, for 2 s',
    disturb: platform('the platform resets', 2_000, resets),
  },
  {
    name: 'platform-hangs',
    title: 'the platform does not answer for 10 s',
    disturb: platform('the platform hangs', 10_000, silent),
  },
  {
    name: 'platform-503',
    title: 'the platform answers 503 for a minute',
    disturb: platform('the platform answers 503', 60_000, unavailable),
  },
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
        new WorkerProcess(number === 0 ? { ...variables, NODE_OPTIONS: `--import=${SHIFTED}` } : variables),
    },
    disturb: (stage) =>
      stage.times(1, async () => {
        stage.workers.programs[0]?.kill('SIGUSR2');
        stage.mends('the clock of worker 0 is set forward');
      }),
  },
];
