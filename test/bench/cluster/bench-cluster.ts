import { markdownTable } from 'markdown-table';

import { startBroker } from '../../../scripts/broker/start-broker.ts';
import { startCluster } from '../../../scripts/broker/start-cluster.ts';
import { OurWorkers } from '../contestants/ours.ts';
import { isFaultless } from '../driver/ledger.ts';
import { LoadDriver } from '../driver/load-driver.ts';
import { processUsage } from '../measure/process-usage.ts';
import { spreadOf, withRange } from '../measure/statistics.ts';
import { startPlatform } from '../platform/start-platform.ts';
import { describeMachine, machineLine } from '../report/machine.ts';
import type { Plan } from '../runs/plan.ts';
import { createWorkplace } from '../stage/workplace.ts';

type Amounts = Pick<Plan, 'rounds' | 'commands' | 'inFlight' | 'perSecond' | 'openLoopMs'>;

interface Node {
  readonly url: string;
  ctl(...args: string[]): Promise<string>;
}

const LATENCY_MS = 20;
const PREFETCH = 100;

/**
 * Prints the processor time that each node of RabbitMQ takes for a `session.create`, its reply included: of one node, then
 * of a cluster of three. The worker is connected to the first node, which leads its queues, the caller to the last.
 *
 * @throws {Error} if not each command got exactly one right answer
 */
export async function benchCluster(plan: Amounts): Promise<void> {
  const rows: string[][] = [];
  let version = '';
  console.log('A private RabbitMQ starts, then a cluster of three …');
  {
    await using broker = await startBroker();
    version = broker.node.installation.version;
    rows.push(...(await measure([broker], plan)));
  }
  {
    await using cluster = await startCluster();
    rows.push(...(await measure(cluster.nodes, plan)));
  }
  console.log(machineLine(describeMachine(version)));
  console.log(
    markdownTable([['node', 'busy, ms a command', `${plan.perSecond} a second, ms a command`], ...rows]),
  );
}

/** A row for each node. */
async function measure(
  nodes: readonly Node[],
  { rounds, commands, inFlight, perSecond, openLoopMs }: Amounts,
): Promise<string[][]> {
  const pids = await Promise.all(
    nodes.map(async (node) => Number(/\d+/.exec(await node.ctl('eval', 'os:getpid().')))),
  );
  const [first, last] = [nodes.at(0)?.url ?? '', nodes.at(-1)?.url ?? ''];
  using workplace = await createWorkplace();
  await using platform = await startPlatform(workplace, LATENCY_MS);
  await using workers = await OurWorkers.start({
    workplace,
    amqpUrl: first,
    platform: platform.variables,
    prefetch: PREFETCH,
  });
  await using driver = await LoadDriver.open({ url: last, dialect: workers.dialect });
  const during = async (load: () => Promise<{ readonly commands: number }>): Promise<readonly number[]> => {
    const before = pids.map((pid) => processUsage(pid).cpuMs);
    const { commands: sent } = await load();
    return pids.map((pid, node) => (processUsage(pid).cpuMs - (before[node] ?? 0)) / sent);
  };
  await driver.closedLoop({ inFlight, commands });
  const busy: (readonly number[])[] = [];
  const steady: (readonly number[])[] = [];
  for (let round = 0; round < rounds; round += 1) {
    busy.push(await during(() => driver.closedLoop({ inFlight, commands })));
    steady.push(await during(() => driver.openLoop({ perSecond, forMs: openLoopMs })));
  }
  const tally = await driver.settle();
  if (!isFaultless(tally))
    throw new Error(`not each command was answered once and right: ${JSON.stringify(tally)}`);
  return nodes.map((_, node) => [
    `${node + 1} of ${nodes.length}`,
    withRange(spreadOf(busy.map((of) => of[node] ?? NaN)), 3),
    withRange(spreadOf(steady.map((of) => of[node] ?? NaN)), 2),
  ]);
}
