import { expect, it, jest } from '@jest/globals';

import { OurWorker } from '../bench/contestants/ours.ts';
import { createWorkplace, startPlatform } from '../bench/stage/stage.ts';
import { aboveIdleMib, measureMemory, MOST_ABOVE_IDLE_MIB } from '../bench/reports/compare-rates.ts';
import { ReportReader } from '../bench/reports/report-reader.ts';
import { testBrokerUrl } from '../support/broker.ts';

jest.setTimeout(900_000);

const RECORDS = 400_000;
const PER_PAGE = 500;
const PLATFORM_MS = 5;
/** A worker's own default. */
const PREFETCH = 2048;

/** `npm run bench -- --reports --records 4000000` reads a larger one. */
it('reads 400,000 records within 60 MB of its idle memory, and serves players meanwhile', async () => {
  using workplace = await createWorkplace();
  await using platform = await startPlatform(workplace, PLATFORM_MS, 'reports', RECORDS);
  const amqpUrl = testBrokerUrl();
  const surroundings = { workplace, amqpUrl, platform: platform.variables, prefetch: PREFETCH };
  await using worker = await OurWorker.start(surroundings);
  await using reader = await ReportReader.open(amqpUrl);
  const memory = await measureMemory(worker, reader, amqpUrl, PER_PAGE);

  const pages = RECORDS / PER_PAGE;
  const end = { report: 'ad-hoc', pages, records: RECORDS, totalCount: RECORDS, changedWhileReading: false };
  expect(memory.report).toMatchObject({ pages, faults: 0, end });
  expect(memory.beside.failures).toEqual({});
  expect(aboveIdleMib(memory)).toBeLessThan(MOST_ABOVE_IDLE_MIB);
});
