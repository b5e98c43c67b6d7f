import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { createSessions, players } from '../../support/create-sessions.ts';
import { Gate, healthy, playerOf } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../support/worker-process.ts';

describe('a broker that no longer confirms', () => {
  let service: ServiceUnderTest;
  let worker: WorkerProcess;
  beforeAll(async () => {
    service = await ServiceUnderTest.start({ behaviour: healthy() });
    // A heartbeat would detect it, too, but later than this test waits.
    worker = await service.worker({ AMQP_URL: `${service.proxy.through(service.url)}?heartbeat=60` });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it('is reconnected, and unconfirmed messages are published again', async () => {
    const gate = new Gate();
    service.platform.behaviour = gate.behind(healthy());
    const userIds = players(10);
    const sessions = createSessions(service, userIds);
    await until('they are in flight', () => gate.held === 10);
    // The first connection publishes.
    service.proxy.stall(0);
    gate.open();

    expect((await sessions).map((reply) => [reply?.type, reply?.messageId])).toEqual(
      userIds.map((userId) => ['session.created', `${userId}:0`]),
    );
    expect(service.platform.requests.map(playerOf).toSorted()).toEqual(userIds);
    await worker.ready();
    const logged = worker.log.filter(({ msg }) => msg === 'the broker is not available');
    expect(logged).toMatchObject([
      {
        connection: 'publishing',
        reason: 'the broker confirms nothing of what is published',
      },
    ]);
    expect(worker.stderr).toBe('');
  });

  it('is not reconnected while nothing is unconfirmed', async () => {
    const connections = service.proxy.accepted;
    const [reply] = await createSessions(service, players(1, 'later'));
    expect(reply?.type).toBe('session.created');
    expect(service.proxy.accepted).toBe(connections);
  });
});
