import { expect, it, jest } from '@jest/globals';

import { PER_PAGE } from '../../lab/bench/reports/compare-rates.ts';
import { measureMemory } from '../../lab/bench/reports/memory.ts';
import { testBrokerUrl } from '../support/broker.ts';

jest.setTimeout(900_000);

const RECORDS = 400_000;
const PLATFORM_MS = 5;
const MOST_ABOVE_IDLE_MIB = 60e6 / 1_024 ** 2;

/** The number of records. To measure a larger report, run `npm run bench -- --reports --records 4000000`. */
it('reads 400,000 records within 60 MB of its idle memory while it serves players', async () => {
  const { report, beside, aboveIdleMib } = await measureMemory(testBrokerUrl(), {
    records: RECORDS,
    perPage: PER_PAGE,
    latencyMs: PLATFORM_MS,
  });
  const pages = RECORDS / PER_PAGE;
  const end = { report: 'ad-hoc', pages, records: RECORDS, totalCount: RECORDS, changedWhileReading: false };
  expect(report).toMatchObject({ pages, faults: 0, end });
  expect(beside.failures).toEqual([]);
  expect(aboveIdleMib).toBeLessThan(MOST_ABOVE_IDLE_MIB);
});
