import { resolve } from 'node:path';

import { startBroker } from '../../scripts/broker/start-broker.ts';
import { build } from '../../scripts/build/build.ts';
import { readOptions, runTask } from '../../scripts/run-task.ts';

/** The size of the report during which memory is watched. */
const REPORT_RECORDS = 400_000;

await runTask(async () => {
  const { quick, start, promises, apart, reports, only, against, ...counts } = readOptions({
    quick: Boolean,
    start: Boolean,
    promises: Boolean,
    apart: Boolean,
    reports: Boolean,
    'small-pages': Boolean,
    only: String,
    against: String,
    rounds: Number,
    commands: Number,
    'in-flight': Number,
    records: Number,
    'latency-ms': Number,
  });
  await build();
  // Imported here because they use the built code.
  const { FULL, QUICK } = await import('../bench/compare.ts');
  const { bench, chooseContestants } = await import('../bench/bench.ts');
  const amounts = quick ? QUICK : FULL;
  const rounds = counts.rounds ?? amounts.rounds;
  if (apart) {
    const { runApart } = await import('../bench/apart/apart.ts');
    await using broker = await startBroker();
    return await runApart(broker.url, rounds, only);
  }
  if (counts['small-pages']) {
    const { runSmallPages } = await import('../bench/reports/small-pages.ts');
    await using broker = await startBroker();
    return await runSmallPages(broker.url, counts.records, counts['latency-ms']);
  }
  if (promises) {
    const { runPromises } = await import('../bench/promises/promises.ts');
    return await runPromises(counts.rounds);
  }
  const isWhole = only === undefined && !start && against === undefined && !reports;
  const plan = {
    ...amounts,
    ...(!isWhole && { moderateMs: 0, reportRecords: reports ? amounts.reportRecords : 0 }),
    memoryRecords: reports ? (counts.records ?? REPORT_RECORDS) : 0,
    starts: start || isWhole ? amounts.starts : 0,
    isWhole: isWhole && amounts.isWhole,
    rounds,
    commands: counts.commands ?? amounts.commands,
    prefetch: counts['in-flight'] ?? amounts.prefetch,
  };
  const isCompared = only !== undefined || (!start && !reports);
  const isRight = await bench({
    plan,
    contestants: isCompared ? chooseContestants(only?.split(',') ?? [], against && resolve(against)) : [],
  });
  if (!isRight) throw new Error('not every answer was right, or a bound of --reports does not hold');
  return true;
});
