import { describe, expect, it, jest } from '@jest/globals';

import { clusteredForAll, watchReadiness } from '../e2e/cluster/clustered-service.ts';
import { PAGES } from '../chaos/stage/chaos-stage.ts';
import { Gate, healthy } from '../support/platform-answers.ts';
import { until } from '../support/until.ts';

jest.setTimeout(120_000);

describe('a worker on a cluster of three nodes', () => {
  const service = clusteredForAll();

  it('stays connected when the leaders of its lanes die on another node', () =>
    service.underLoad(async () => {
      const { lanes } = service;
      const { view } = service.stage.broker;
      const stopWatching = watchReadiness(service.worker);
      const serving = await service.serving();
      const lost = service.otherThan(...serving);
      await view.moveLeaders(lanes, lost);
      await service.more(20);
      await lost.kill();
      await service.more(40);
      expect(await view.leadersOf(lanes)).not.toContain(lost);
      expect(await service.serving()).toEqual(serving);
      await lost.restart();
      expect(await stopWatching()).toEqual([200]);
    }));

  it('is not ready while two nodes are gone, and with them every majority', () =>
    service.underLoad(async () => {
      const { worker } = service;
      const serving = await service.serving();
      const [one, other] = [...serving, service.otherThan(...serving)];
      await Promise.all([one?.kill(), other?.kill()]);
      await until('it is not ready', async () => (await worker.get('/health/ready')).status === 503);
      expect((await worker.get('/health/live')).status).toBe(200);
      expect(await worker.metric('poker_broker_connected')).toBe(0);
      await one?.restart();
      await service.more(40);
      await worker.ready();
      await other?.restart();
    }));

  it('is not ready either if its own node is left alone, once a confirm is missing', () =>
    service.underLoad(async () => {
      const { stage, worker } = service;
      const [host] = await service.serving();
      const others = stage.broker.cluster.nodes.filter((node) => node !== host);
      const gate = new Gate();
      stage.fault = gate.behind(healthy(PAGES));
      await until('some are in flight', () => gate.held > 3);
      await Promise.all(others.map((node) => node.kill()));
      gate.open();
      stage.fault = undefined;
      await until('it is not ready', async () => (await worker.get('/health/ready')).status === 503, 30_000);
      await Promise.all(others.map((node) => node.restart()));
      await service.more(40);
    }));

  it('leaves a node that is drained for maintenance', () =>
    service.underLoad(async () => {
      const [drained] = await service.serving();
      await drained.ctl('eval', 'rabbit_maintenance:drain().');
      await service.more(40);
      await service.worker.ready();
      expect(await service.serving()).not.toContain(drained);
      await drained.ctl('eval', 'rabbit_maintenance:revive().');
    }));
});
