import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';

import { ClusteredService, watchReadiness } from './clustered-service.ts';

jest.setTimeout(120_000);

/** More failures of a cluster are in test/extended. */
describe('a worker on a cluster of three nodes', () => {
  let service: ClusteredService;

  beforeAll(async () => {
    service = await ClusteredService.start();
  });

  afterAll(() => service?.[Symbol.asyncDispose]());

  it('continues on another node if its own dies, and all queues lose their leader', () =>
    service.run(async () => {
      const { view, lanes, caller, worker } = service;
      const load = service.load('killed');
      await load.goOn(20);
      const [lost] = await service.serving();
      await view.moveLeaders([...lanes, caller.replyQueue], lost);
      await lost.kill();
      await load.goOn(40);
      await worker.ready();
      expect(await service.serving()).not.toContain(lost);
      await lost.restart();
      await service.expectAnswered(load);
    }));

  it('is not affected if the leaders of its lanes move', () =>
    service.run(async () => {
      const load = service.load('moved');
      const stopWatching = watchReadiness(service.worker);
      const serving = await service.serving();
      for (const leader of service.cluster.nodes.slice(1)) {
        await service.view.moveLeaders(service.lanes, leader);
        await load.goOn(10);
      }
      expect(await service.serving()).toEqual(serving);
      await service.expectAnswered(load);
      expect(await stopWatching()).toEqual([200]);
    }));

  it('survives a restart of the nodes, one after the other', () =>
    service.run(async () => {
      const load = service.load('rolled');
      for (const node of service.cluster.nodes) {
        await load.goOn(20);
        await node.shutDown();
        await load.goOn(20);
        await node.restart();
      }
      await load.goOn(40);
      await service.worker.ready();
      await service.expectAnswered(load);
    }));
});
