import { expect, it } from '@jest/globals';

import { createWorkplace, startPlatform } from '../../bench/stage.ts';
import { compareRates } from '../../bench/reports/compare-rates.ts';
import { testBrokerUrl } from '../../support/broker.ts';

const RECORDS = 1_000;
const PER_PAGE = 100;

it('the bench of reports reads every page of the bare loop and of a worker once, in turn', async () => {
  await using workplace = await createWorkplace();
  await using platform = await startPlatform(0, RECORDS);
  const surroundings = { workplace, amqpUrl: testBrokerUrl(), platform: platform.variables, prefetch: 64 };
  const { bare, ours, faults } = await compareRates(surroundings, 1, PER_PAGE);
  expect(faults).toBe(0);
  for (const { pagesPerSecond } of [bare, ours]) expect(pagesPerSecond).toEqual([expect.any(Number)]);
});
