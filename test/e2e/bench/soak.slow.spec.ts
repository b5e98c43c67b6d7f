import { expect, it } from '@jest/globals';

import { soak } from '../../bench/soak/soak.ts';
import { testBrokerUrl } from '../../support/broker.ts';

/** `npm run soak` does the same for minutes, and measures the memory. */
it('a mixed load of some seconds: each command gets exactly its own replies', async () => {
  const result = await soak({ amqpUrl: testBrokerUrl(), forMs: 6_000, perSecond: 40, everyMs: 1_000 });
  expect(result).toMatchObject({ faults: [], unfinished: 0, strayDeadLetters: 0, isFaultless: true });
  expect(result.tally.sent).toBeGreaterThan(100);
  const last = result.samples.at(-1);
  expect(last).toMatchObject({ queued: 0, answered: result.tally.sent });
  for (const { rssMib, heapUsedMib } of result.samples) expect(rssMib).toBeGreaterThan(heapUsedMib);
});
