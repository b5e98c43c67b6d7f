import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { ConfirmedPublisher } from '../../../libs/messaging/src/rabbitmq/publishing/confirmed-publisher.ts';
import type { OutgoingMessage } from '../../../libs/messaging/src/rabbitmq/publishing/outgoing-message.ts';
import { openConnection, type TestConnection, uniquePrefix } from '../../support/broker.ts';

const GONE = 'nobody-has-this-queue';
const ALWAYS = () => true;

describe('a publisher on a real broker', () => {
  const live = `${uniquePrefix()}-live`;
  const full = `${uniquePrefix()}-full`;
  let open: TestConnection;
  let publisher: ConfirmedPublisher;

  beforeAll(async () => {
    open = await openConnection();
    await open.channel.assertQueue(live, { arguments: { 'x-queue-type': 'quorum' } });
    const bounds = { 'x-max-length': 1, 'x-overflow': 'reject-publish' };
    await open.channel.assertQueue(full, { exclusive: true, arguments: bounds });
    publisher = new ConfirmedPublisher();
    await publisher.attach({
      openChannel: () => open.connection.createConfirmChannel(),
      isBlocked: false,
      giveUp: (reason) => open.connection.emit('error', new Error(reason)),
    });
  });
  afterAll(async () => {
    publisher.close();
    await open.channel.deleteQueue(live);
    await open[Symbol.asyncDispose]();
  });

  const messageTo = (routingKey: string, messageId: string): OutgoingMessage => ({
    exchange: '',
    routingKey,
    content: Buffer.from('{}'),
    mandatory: true,
    properties: { messageId, headers: {} },
  });
  const publish = (routingKey: string, messageId = 'm-1') =>
    publisher.publish(messageTo(routingKey, messageId), ALWAYS);

  it('knows which of many messages with one id was returned, in whatever order the broker answers', async () => {
    const queues = Array.from({ length: 200 }, (_, index) => (index % 3 === 0 ? GONE : live));
    const outcomes = await Promise.all(queues.map((queue) => publish(queue)));
    expect(outcomes).toEqual(queues.map((queue) => (queue === GONE ? 'returned' : 'confirmed')));
  });

  it('distinguishes a queue that refused a message from one that has it', async () => {
    expect([await publish(full), await publish(full), await publish(live)]).toEqual([
      'confirmed',
      'refused',
      'confirmed',
    ]);
  });
});
