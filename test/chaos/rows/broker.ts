import { setTimeout as sleep } from 'node:timers/promises';

import type { Row } from '../row.ts';

const DOWN_MS = 3_000;
const ALARM_MS = 5_000;

export const brokerKill: Row = {
  name: 'broker-kill',
  title: 'the broker killed, and started again 3 s later',
  disturb: (stage) =>
    stage.times(1, async () => {
      stage.breaks('broker killed');
      await stage.broker.node.kill();
      await sleep(DOWN_MS);
      await stage.broker.node.restart();
      stage.mends('broker is back');
    }),
};

export const memoryAlarm: Row = {
  name: 'memory-alarm',
  title: 'memory alarm for 5 s',
  disturb: (stage) =>
    stage.times(1, async () => {
      await stage.broker.node.ctl('set_vm_memory_high_watermark', '0.00001');
      stage.breaks('alarm raised');
      await sleep(ALARM_MS);
      await stage.broker.node.ctl('set_vm_memory_high_watermark', '0.4');
      stage.mends('alarm cleared');
    }),
};
