import { setTimeout as sleep } from 'node:timers/promises';

import { silent, unavailable } from '../../../test/support/platform-answers.ts';
import type { PlatformBehaviour } from '../../../test/support/platform-stub.ts';
import type { Row } from './row.ts';
import type { ChaosStage } from '../stage/chaos-stage.ts';

type Fault = (stage: ChaosStage) => Promise<void>;

/** The worker that is killed and replaced. The other worker runs throughout. */
const MORTAL = 1;
const DOWN_MS = 2_000;
const SHORT_MS = 3_000;
const SHORTEST_PAUSE_MS = 3_000;
const LONGEST_PAUSE_MS = 12_000;

const restarts = async (of: { kill(): Promise<unknown>; restart(): Promise<unknown> }) => {
  await of.kill();
  await sleep(DOWN_MS);
  await of.restart();
};
const answers =
  (fault: PlatformBehaviour): Fault =>
  async (stage) => {
    stage.fault = fault;
    await sleep(SHORT_MS);
    stage.fault = undefined;
  };

const FAULTS: Readonly<Record<string, Fault>> = {
  'worker killed': ({ workers }) => workers.end(MORTAL, 'SIGKILL'),
  'worker deployed': async ({ workers }) => {
    await workers.end(MORTAL, 'SIGTERM');
    await workers.areReady();
  },
  'connections cut': async ({ broker }) => broker.path.cut(),
  'link stalled': async ({ broker }) => {
    broker.path.stall();
    await sleep(SHORT_MS);
    broker.path.resume();
  },
  'connections closed by the broker': async ({ broker }) =>
    void (await broker.node.ctl('close_all_connections', 'chaos')),
  'broker killed': ({ broker }) => restarts(broker.node),
  'Redis killed': ({ redis }) => restarts(redis),
  'platform answered 503': answers(unavailable),
  'platform hung': answers(silent),
};

/** Random deployments and faults under load, for as long as commands are sent. */
export const mixture: Row = {
  name: 'mixture',
  title: 'deployments and faults by chance',
  disturb: async (stage) => {
    const faults = Object.entries(FAULTS);
    while (stage.load.share < 1) {
      await sleep(SHORTEST_PAUSE_MS + stage.random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS));
      const [what, act] = faults[Math.floor(stage.random() * faults.length)] ?? [];
      stage.breaks(`${what}: begins`);
      await act?.(stage);
      stage.mends(`${what}: over`);
    }
  },
};
