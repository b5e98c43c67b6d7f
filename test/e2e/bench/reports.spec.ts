import { expect, it } from '@jest/globals';

import { compareRates } from '../../bench/reports/compare-rates.ts';
import { createWorkplace } from '../../bench/stage.ts';
import { testBrokerUrl } from '../../support/broker.ts';

it('the bench of reports reads every page of the bare loop and of a worker once, in turn', async () => {
  await using workplace = await createWorkplace();
  const rates = await compareRates({ workplace, amqpUrl: testBrokerUrl() }, 1, 2_000);
  expect(rates).toEqual({ ours: [expect.any(Number)], bare: [expect.any(Number)], faults: 0 });
});
