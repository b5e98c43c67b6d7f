import { setTimeout as sleep } from 'node:timers/promises';

import type { Broker } from '../../../scripts/broker/start-broker.ts';
import type { ChaosStage } from '../stage/chaos-stage.ts';
import type { Row } from './row.ts';

/** Longer than `net_ticktime`, so that the others give the node up. */
const PAUSE_MS = 15_000;

async function killOne(stage: ChaosStage, what: string, choose: (leader: Broker) => Broker): Promise<void> {
  const [leader] = await stage.broker.view.leadersOf([`${stage.prefix}.interactive`]);
  const node = choose(leader ?? (stage.broker.cluster.nodes[0] as Broker));
  stage.breaks(`${what} ${node.name} killed`);
  await node.kill();
  stage.mendedMs.push(Date.now());
  await sleep(3_000);
  await node.restart();
  stage.breaks(`${node.name} is back`);
}

function anyOf(nodes: readonly Broker[], random: () => number): Broker {
  return nodes[Math.floor(random() * nodes.length)] as Broker;
}

export const CLUSTER_ROWS: readonly Row[] = [
  {
    name: 'leader-kill',
    title: 'three nodes: that of the queue’s leader killed',
    disturb: (stage: ChaosStage) => stage.times(1, () => killOne(stage, 'leader', (leader) => leader)),
  },
  {
    name: 'follower-kill',
    title: 'three nodes: another one killed',
    disturb: (stage: ChaosStage) =>
      stage.times(1, () =>
        killOne(stage, 'follower', (leader) =>
          anyOf(
            stage.broker.cluster.nodes.filter((node) => node !== leader),
            stage.random,
          ),
        ),
      ),
  },
  {
    name: 'node-pause',
    title: 'three nodes: one paused for 15 s (SIGSTOP)',
    disturb: (stage: ChaosStage) => {
      const node = anyOf(stage.broker.cluster.nodes, stage.random);
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
