import { setTimeout as sleep } from 'node:timers/promises';

import type { Row } from '../row.ts';

const TIMES = 6;
/** Longer than two heartbeats of the workers. */
const STALL_MS = 12_000;

export const tcpCuts: Row = {
  name: 'tcp-cuts',
  title: 'connections of the workers cut, six times',
  disturb: (stage) =>
    stage.times(TIMES, async () => {
      stage.broker.path.cut();
      stage.mends('connections cut');
    }),
};

export const stalledLink: Row = {
  name: 'stalled-link',
  title: 'the link to the broker stalls for 12 s',
  disturb: (stage) =>
    stage.times(1, async () => {
      stage.breaks('link stalls');
      stage.broker.path.stall();
      await sleep(STALL_MS);
      stage.broker.path.resume();
      stage.mends('link works again');
    }),
};

export const forcedCloses: Row = {
  name: 'forced-closes',
  title: 'all connections closed by the broker, six times',
  disturb: (stage) =>
    stage.times(TIMES, async () => {
      stage.breaks('all connections are being closed');
      await stage.broker.node.ctl('close_all_connections', 'chaos');
      stage.mends('all connections closed');
    }),
};
