import { setTimeout as sleep } from 'node:timers/promises';

import type { Broker } from '../../../scripts/broker/start-broker.ts';
import type { Row } from '../row.ts';
import type { ChaosStage } from '../stage/chaos-stage.ts';

const CLUSTER = { nodes: 3 } as const;
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

export const leaderKill: Row = {
  name: 'leader-kill',
  title: 'three nodes: that of the queue’s leader killed',
  wishes: CLUSTER,
  isOurs: true,
  disturb: (stage) => stage.times(1, () => killOne(stage, 'leader', (leader) => leader)),
};

export const followerKill: Row = {
  name: 'follower-kill',
  title: 'three nodes: another one killed',
  wishes: CLUSTER,
  isOurs: true,
  disturb: (stage) =>
    stage.times(1, () =>
      killOne(stage, 'follower', (leader) => {
        const others = stage.broker.cluster.nodes.filter((node) => node !== leader);
        return others[Math.floor(stage.random() * others.length)] ?? leader;
      }),
    ),
};

export const nodePause: Row = {
  name: 'node-pause',
  title: 'three nodes: one paused for 15 s (SIGSTOP)',
  wishes: CLUSTER,
  isOurs: true,
  disturb: (stage) =>
    stage.times(1, async () => {
      const { nodes } = stage.broker.cluster;
      const node = nodes[Math.floor(stage.random() * nodes.length)] as Broker;
      stage.breaks(`${node.name} paused`);
      node.signal('SIGSTOP');
      await sleep(PAUSE_MS);
      node.signal('SIGCONT');
      stage.mends(`${node.name} goes on`);
    }),
};

export const clusterRestart: Row = {
  name: 'cluster-restart',
  title: 'three nodes: all restarted in turn',
  wishes: CLUSTER,
  isOurs: true,
  disturb: (stage) =>
    stage.times(1, async () => {
      for (const node of stage.broker.cluster.nodes) {
        stage.breaks(`${node.name} is told to stop`);
        await node.shutDown();
        stage.mendedMs.push(Date.now());
        await node.restart();
        stage.breaks(`${node.name} is back`);
        await stage.broker.view.isWhole();
      }
    }),
};
