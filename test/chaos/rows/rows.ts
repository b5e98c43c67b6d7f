import { setTimeout as sleep } from 'node:timers/promises';

import type { Broker } from '../../../scripts/broker/start-broker.ts';
import type { ChaosStage } from '../stage/chaos-stage.ts';
import { SURROUNDINGS_ROWS, WORKER_ROWS } from './one-node.ts';
import type { Row } from './row.ts';

/** Longer than `net_ticktime`, so that the others give the node up. */
const PAUSE_MS = 15_000;

async function killOne(stage: ChaosStage, what: 'leader' | 'follower'): Promise<void> {
  const { nodes } = stage.broker.cluster;
  const [leader = nodes[0]] = await stage.broker.view.leadersOf([`${stage.prefix}.interactive`]);
  const node = anyOf(stage, (each) => (each === leader) === (what === 'leader'));
  stage.breaks(`${what} ${node.name} killed`);
  await node.kill();
  stage.mendedMs.push(Date.now());
  await sleep(3_000);
  await node.restart();
  stage.breaks(`${node.name} is back`);
}

function anyOf({ broker, random }: ChaosStage, isWanted = (_node: Broker): boolean => true): Broker {
  const nodes = broker.cluster.nodes.filter(isWanted);
  return nodes[Math.floor(random() * nodes.length)] as Broker;
}

const CLUSTER_ROWS: readonly Row[] = [
  {
    name: 'leader-kill',
    title: 'three nodes: that of the queue’s leader killed',
    disturb: (stage: ChaosStage) => stage.times(1, () => killOne(stage, 'leader')),
  },
  {
    name: 'follower-kill',
    title: 'three nodes: another one killed',
    disturb: (stage: ChaosStage) => stage.times(1, () => killOne(stage, 'follower')),
  },
  {
    name: 'node-pause',
    title: 'three nodes: one paused for 15 s (SIGSTOP)',
    disturb: (stage: ChaosStage) => {
      const node = anyOf(stage);
      return stage.outage(
        `${node.name} paused`,
        PAUSE_MS,
        () => node.signal('SIGSTOP'),
        () => node.signal('SIGCONT'),
      );
    },
  },
  {
    name: 'cluster-restart',
    title: 'three nodes: all restarted in turn',
    disturb: (stage: ChaosStage) =>
      stage.times(1, async () => {
        for (const node of stage.broker.cluster.nodes) {
          stage.breaks(`${node.name} is stopped`);
          await node.shutDown();
          stage.mendedMs.push(Date.now());
          await node.restart();
          stage.breaks(`${node.name} is back`);
          await stage.broker.view.isWhole();
        }
      }),
  },
].map((row) => ({ ...row, wishes: { nodes: 3 } }));

/** In the order in which they are played. */
export const ROWS: readonly Row[] = [...WORKER_ROWS, ...CLUSTER_ROWS, ...SURROUNDINGS_ROWS];
