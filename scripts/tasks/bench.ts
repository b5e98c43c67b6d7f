import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { runApart } from '../../test/bench/apart/run-apart.ts';
import { bench, benchProfiles, chooseContestants, withWorkerFlags } from '../../test/bench/bench.ts';
import { runLanes } from '../../test/bench/lanes/run-lanes.ts';
import { benchRedis } from '../../test/bench/redis/bench-redis.ts';
import { runReports } from '../../test/bench/reports/run-reports.ts';
import { benchCluster } from '../../test/bench/cluster/bench-cluster.ts';
import { FULL, QUICK } from '../../test/bench/runs/plan.ts';
import { benchScale } from '../../test/bench/scale/bench-scale.ts';
import { startBroker } from '../broker/start-broker.ts';
import { build } from '../build/build.ts';
import { root } from '../root.ts';
import { runTask } from '../run-task.ts';

const STARTS = 5;
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
  await using broker = await startBroker();
  return await runLanes({ url: broker.url, rounds });
}

async function benchApart(rounds: number, only: string | undefined): Promise<boolean> {
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
      'same-flags': { type: 'boolean', default: false },
    },
  });
  const { quick, only, start, against } = values;
  const plan = quick ? QUICK : FULL;
  const hasSameFlags = values['same-flags'];
  const isWhole = !quick && only === undefined && !start && against === undefined && !hasSameFlags;
  if (values.apart) {
    await build(root);
    return (await benchApart(readCount('rounds', values.rounds, plan.rounds), only)) ? 0 : 1;
  }
  if (values.reports) {
    await build(root);
    const rounds = values.rounds === '0' ? 0 : readCount('rounds', values.rounds, plan.rounds);
    const records = readCount('records', values.records, REPORT_RECORDS);
    return (await runReports({ rounds, records })) ? 0 : 1;
  }
  const names = only?.split(',') ?? (values.profile ? ['ours'] : []);
  const contestants = start && only === undefined ? [] : chooseContestants(names, against !== undefined);
  const options = {
    plan: {
      ...plan,
      rounds: readCount('rounds', values.rounds, plan.rounds),
      commands: readCount('commands', values.commands, plan.commands),
    },
    contestants: hasSameFlags ? withWorkerFlags(contestants) : contestants,
    starts: start || isWhole ? STARTS : 0,
    other: against === undefined ? undefined : resolve(against),
    isWritten: values.write || isWhole,
    json: values.json,
  };
  await build(root);
  const { rounds } = options.plan;
  if (values.scale) {
    await benchScale({ rounds, isWritten: values.write });
    return 0;
  }
  if (values.redis) {
    return (await benchRedis({ rounds, forMs: plan.openLoopMs, isWritten: values.write })) ? 0 : 1;
  }
  if (values.cluster) {
    await benchCluster(options.plan);
    return 0;
  }
  if (values.lanes) return (await benchLanes(rounds)) ? 0 : 1;
  if (values.profile) await benchProfiles(options);
  else if (!(await bench(options))) throw new Error('not every command got exactly one right answer');
  return 0;
});
