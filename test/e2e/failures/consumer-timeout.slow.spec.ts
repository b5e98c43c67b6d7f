import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { startBroker } from '../../../scripts/broker/start-broker.ts';
import { healthy, PAGED_DAY } from '../../support/platform-answers.ts';
import { serviceForAll } from '../../support/suite-service.ts';

const TIMEOUT_MS = 6_000;
const PAGES = 40;
const PAGE_MS = 250;
/** The number of small pages that one read prefetches. Two concurrent reads would prefetch twice as many. */
const AHEAD = 6;

describe('a report that takes longer than the consumer_timeout of the broker', () => {
  let underWay = 0;
  let mostAtOnce = 0;
  const service = serviceForAll(async (stack) => {
    // Before 4.3, the broker checks the timeout at each tick of a channel.
    const settings = [`{consumer_timeout, ${TIMEOUT_MS}}`, '{channel_tick_interval, 1000}'];
    const broker = stack.use(await startBroker({ settings }));
    return {
      behaviour: async (...call) => {
        underWay += 1;
        mostAtOnce = Math.max(mostAtOnce, underWay);
        await sleep(PAGE_MS);
        underWay -= 1;
        await healthy(PAGES)(...call);
      },
      url: broker.url,
      workers: 2,
    };
  });

  it('is read once: a read whose delivery is lost stops', async () => {
    const replies = await service.caller.send('report.rake.fetch', PAGED_DAY);
    const ids = replies.map(({ messageId }) => Number(messageId.split(':')[1]));
    expect(new Set(ids).size).toBe(PAGES + 1);
    const losses = await Promise.all(
      service.workers.map((each) => each.metric('poker_consumers_lost_total')),
    );
    const lost = losses.reduce((sum, count) => sum + count, 0);
    const restarts = ids.filter((id, index) => id < (ids[index - 1] ?? 0));
    expect(restarts.length).toBeLessThanOrEqual(lost);
    expect(mostAtOnce).toBeLessThanOrEqual(AHEAD);
  });
});
