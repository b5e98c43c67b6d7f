import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { ConfirmedPublisher, QueueLock } from '#rabbitmq';

import {
  openConnection,
  testBrokerCtl,
  type TestConnection,
  testBrokerUrl,
  uniquePrefix,
} from '../../support/broker.ts';
import { until } from '../../support/until.ts';

const QUEUE = 'kept';
const LOCK = { name: 'kept.lock', arguments: { 'x-queue-type': 'classic', 'x-max-length': 0 } };

describe('QueueLock', () => {
  const virtualHost = uniquePrefix();
  let open: TestConnection;
  const publisher = new ConfirmedPublisher();
  const lock = new QueueLock(LOCK, publisher);
  const walk = (by = lock) =>
    by.walk(open.connection, QUEUE, { silenceMs: 1_000 }, async (messages) => {
      for await (const _ of messages);
    });

  beforeAll(async () => {
    await testBrokerCtl('add_vhost', virtualHost);
    await testBrokerCtl('set_permissions', '--vhost', virtualHost, 'guest', '.*', '.*', '.*');
    open = await openConnection(Object.assign(new URL(testBrokerUrl()), { pathname: virtualHost }).href);
    await open.channel.assertQueue(QUEUE, { arguments: { 'x-queue-type': 'quorum' } });
    await publisher.attach(open.connection);
  });
  afterAll(async () => {
    publisher.close();
    await open?.[Symbol.asyncDispose]();
    await testBrokerCtl('delete_vhost', virtualHost);
  });

  /** Delays the creation of classic queues, such as the lock, in the virtual host. */
  const makeQueues = (how: 'suspend' | 'resume') =>
    testBrokerCtl(
      'eval',
      `{ok, Pid} = rabbit_amqqueue_sup_sup:find_for_vhost(<<"${virtualHost}">>), sys:${how}(Pid).`,
    );

  it('can be taken again by its connection, and then by others, if the broker answered too late', async () => {
    await makeQueues('suspend');
    await expect(walk()).rejects.toThrow('the lock was not answered in time');
    await makeQueues('resume');
    await until('its queue is there', () => lock.isTaken());
    expect(await walk(new QueueLock(LOCK, publisher))).toBe(false);
    expect(await walk()).toBe(true);
    expect(await lock.isTaken()).toBe(false);
  });
});
