import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { testBrokerCtl } from '../../support/broker.ts';
import { createSessions, players } from '../../support/create-sessions.ts';
import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../support/worker-process.ts';

describe('a consumer that gets no messages', () => {
  let service: ServiceUnderTest;
  let worker: WorkerProcess;
  beforeAll(async () => {
    service = await ServiceUnderTest.start({ behaviour: healthy() });
    worker = await service.worker();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  /** The broker removes the consumer as if its client had cancelled it, without notifying it. */
  const makeDeaf = (queue: string): Promise<string> =>
    testBrokerCtl(
      'eval',
      `{ok, Queue} = rabbit_amqqueue:lookup(rabbit_misc:r(<<"/">>, queue, <<"${service.name(queue)}">>)), ` +
        `[rabbit_channel_common:do(element(1, Consumer), {'basic.cancel', element(2, Consumer), true}) || ` +
        `Consumer <- rabbit_amqqueue:consumers(Queue)].`,
    );
  const consumersOf = async (queue: string): Promise<number> =>
    (await service.caller.channel.checkQueue(service.name(queue))).consumerCount;

  it('is detected by the waiting messages, logged, and recreated', async () => {
    // The consumer of its first commands, and that of the rest of its prefetch.
    await until('it takes all of its prefetch', async () => (await consumersOf('interactive')) === 2);
    await makeDeaf('interactive');
    await until('the queue has no consumer', async () => (await consumersOf('interactive')) === 0);
    expect((await worker.health()).bus.lanes['interactive']?.state).toBe('consuming');
    const userIds = players(5);
    // The watchdog checks every five seconds, and acts at its second check.
    const replies = await createSessions(service, userIds);
    expect(replies.map((reply) => reply?.body['userId'])).toEqual(userIds);
    expect(worker.log.filter(({ msg }) => msg === 'consumer lost; it is recreated')).toMatchObject([
      {
        level: 'warn',
        queue: service.name('interactive'),
        reason: 'its queue holds messages, and none came',
      },
    ]);
    expect(await consumersOf('interactive')).toBe(1);
    await worker.ready();
    expect(worker.stderr).toBe('');
  });
});
