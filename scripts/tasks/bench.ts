import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { startBroker } from '../broker/start-broker.ts';
import { build } from '../build/build.ts';
import { root } from '../root.ts';
import { runTask } from '../run-task.ts';

/** Of the report whose memory is looked at. */
const REPORT_RECORDS = 400_000;

/** @throws {Error} if it is not a whole number of at least 1 */
function readCount(option: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new Error(`--${option} ${text} is not a count`);
  return count;
}

async function benchLanes(rounds: number): Promise<boolean> {
  const { runLanes } = await import('../../test/bench/lanes/run-lanes.ts');
  await using broker = await startBroker();
  return await runLanes({ url: broker.url, rounds });
}

async function benchApart(rounds: number, only: string | undefined): Promise<boolean> {
  const { runApart } = await import('../../test/bench/apart/run-apart.ts');
  await using broker = await startBroker();
  return await runApart({ url: broker.url, rounds, only });
}

await runTask(async () => {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      start: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      against: { type: 'string' },
      'plain-peers': { type: 'boolean', default: false },
      rounds: { type: 'string' },
      commands: { type: 'string' },
      write: { type: 'boolean', default: false },
      json: { type: 'string' },
      scale: { type: 'boolean', default: false },
      redis: { type: 'boolean', default: false },
      cluster: { type: 'boolean', default: false },
      lanes: { type: 'boolean', default: false },
      apart: { type: 'boolean', default: false },
      reports: { type: 'boolean', default: false },
      records: { type: 'string' },
    },
  });
  const { quick, only, start, against, 'plain-peers': isPlain } = values;
  await build(root);
  // They use the built code, so not before it is built.
  const { FULL, QUICK } = await import('../../test/bench/runs/plan.ts');
  const { bench, benchProfiles, chooseContestants } = await import('../../test/bench/bench.ts');
  const amounts = quick ? QUICK : FULL;
  if (values.reports) {
    const { runReports } = await import('../../test/bench/reports/run-reports.ts');
    const rounds = values.rounds === '0' ? 0 : readCount('rounds', values.rounds, amounts.rounds);
    const records = readCount('records', values.records, REPORT_RECORDS);
    return (await runReports({ rounds, rateRecords: amounts.reportRecords, records })) ? 0 : 1;
  }
  const rounds = readCount('rounds', values.rounds, amounts.rounds);
  const hasBounds = only === undefined && !start && against === undefined && !isPlain;
  const plan = {
    ...amounts,
    ...(!hasBounds && { moderateMs: 0, reportRecords: 0 }),
    starts: start || hasBounds ? amounts.starts : 0,
    rounds,
    commands: readCount('commands', values.commands, amounts.commands),
  };
  if (values.apart) return (await benchApart(rounds, only)) ? 0 : 1;
  if (values.lanes) return (await benchLanes(rounds)) ? 0 : 1;
  if (values.scale) {
    const { benchScale } = await import('../../test/bench/scale/bench-scale.ts');
    await benchScale({ rounds, isWritten: values.write });
    return 0;
  }
  if (values.redis) {
    const { benchRedis } = await import('../../test/bench/redis/bench-redis.ts');
    return (await benchRedis({ rounds, forMs: plan.openLoopMs, isWritten: values.write })) ? 0 : 1;
  }
  if (values.cluster) {
    const { benchCluster } = await import('../../test/bench/cluster/bench-cluster.ts');
    await benchCluster(plan);
    return 0;
  }
  const names = only?.split(',') ?? (values.profile ? ['ours'] : []);
  const choice = { only: names, hasOther: against !== undefined, isPlain };
  const options = {
    plan,
    contestants: start && only === undefined ? [] : chooseContestants(choice),
    other: against === undefined ? undefined : resolve(against),
    isWritten: !isPlain && (values.write || (hasBounds && !quick)),
    json: values.json,
  };
  if (values.profile) await benchProfiles(options);
  else if (!(await bench(options))) throw new Error('not every command got exactly one right answer');
  return 0;
});
