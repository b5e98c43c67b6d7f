import { setTimeout as sleep } from 'node:timers/promises';

import { Gate, healthy } from '../../support/platform-answers.ts';
import type { Row } from '../row.ts';

const GONE_MS = 3_000;
const PAGES = 3;
const UNREAD_MS = 5_000;

export const replyQueueDeleted: Row = {
  name: 'reply-queue-deleted',
  title: 'the reply queue deleted, and there again 3 s later',
  disturb: (stage) =>
    stage.times(1, async () => {
      // What lies in a queue goes with it: no reply is under way then, and commands are in flight.
      const gate = new Gate();
      stage.fault = gate.behind(healthy(PAGES));
      await stage.isQuiet();
      await stage.caller.deleteQueue();
      stage.breaks('reply queue deleted');
      stage.fault = undefined;
      gate.open();
      await sleep(GONE_MS);
      stage.caller.resume();
      stage.mends('reply queue is there again');
    }),
};

export const replyQueueFull: Row = {
  name: 'reply-queue-full',
  title: 'the reply queue full for 5 s (it rejects)',
  wishes: { replyQueue: { 'x-max-length': 100, 'x-overflow': 'reject-publish' } },
  disturb: (stage) =>
    stage.times(1, async () => {
      stage.breaks('nobody reads the replies');
      stage.caller.pause();
      await sleep(UNREAD_MS);
      stage.caller.resume();
      stage.mends('replies are read again');
    }),
};
