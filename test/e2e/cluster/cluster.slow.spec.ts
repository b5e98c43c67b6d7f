import { describe, expect, it, jest } from '@jest/globals';

import { clusteredForAll } from './clustered-service.ts';

jest.setTimeout(120_000);

/** More failures of a cluster are in test/extended. */
describe('a worker on a cluster of three nodes', () => {
  const service = clusteredForAll();

  it('continues on another node if its own dies, and all queues lose their leader', () =>
    service.underLoad(async () => {
      const { broker, caller } = service.stage;
      const [lost] = await service.serving();
      await broker.view.moveLeaders([...service.lanes, caller.replyQueue], lost);
      await lost.kill();
      await service.more(40);
      await service.worker.ready();
      expect(await service.serving()).not.toContain(lost);
      await lost.restart();
    }));

  it('survives a restart of the nodes, one after the other', () =>
    service.underLoad(async () => {
      for (const node of service.stage.broker.cluster.nodes) {
        await service.more(20);
        await node.shutDown();
        await service.more(20);
        await node.restart();
      }
      await service.more(40);
    }));
});
