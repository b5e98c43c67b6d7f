import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { basicPublish } from '../../../libs/rabbitmq/src/publishing/basic-publish.ts';
import { ConfirmedPublisher } from '../../../libs/rabbitmq/src/publishing/confirmed-publisher.ts';
import type { OutgoingMessage } from '../../../libs/rabbitmq/src/publishing/outgoing-message.ts';
import { plainPublish } from '../../../libs/rabbitmq/src/publishing/plain-publish.fixture.ts';
import { openConnection, type TestConnection, uniquePrefix } from '../../support/broker.ts';

const GONE = 'nobody-has-this-queue';
const ALWAYS = () => true;

describe.each([
  ['by the halves of its publish', basicPublish],
  ['by its publish', plainPublish],
])('a publisher over amqplib %s, told by the broker', (_, publishOne) => {
  const live = `${uniquePrefix()}-live`;
  const full = `${uniquePrefix()}-full`;
  let open: TestConnection;
  let publisher: ConfirmedPublisher;

  beforeAll(async () => {
    open = await openConnection();
    await open.channel.assertQueue(live, { arguments: { 'x-queue-type': 'quorum' } });
    const bounds = { 'x-max-length': 1, 'x-overflow': 'reject-publish' };
    await open.channel.assertQueue(full, { exclusive: true, arguments: bounds });
    publisher = new ConfirmedPublisher({ publish: publishOne });
    await publisher.attach(open.connection, {
      state: { kind: 'open' },
      reset: (_, reason) => open.connection.emit('error', new Error(reason)),
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

describe('publishing by the halves of amqplib’s publish', () => {
  it('gives the broker what the whole gives it', async () => {
    await using open = await openConnection();
    const channel = await open.connection.createConfirmChannel();
    const { queue } = await channel.assertQueue('', { exclusive: true });
    const message: OutgoingMessage = {
      exchange: '',
      routingKey: queue,
      content: Buffer.from('{"a":1}'),
      mandatory: true,
      properties: {
        contentType: 'application/json',
        contentEncoding: 'utf-8',
        headers: { text: 'a', number: 1, nested: { yes: true } },
        priority: 3,
        correlationId: 'c-1',
        replyTo: 'replies',
        expiration: '600000',
        messageId: 'm-1',
        timestamp: 1_700_000_000,
        type: 'a.type',
        appId: 'an-app',
      },
    };
    for (const publish of [basicPublish, plainPublish]) {
      await new Promise((resolve, reject) =>
        publish(channel, message, (error) => (error ? reject(error) : resolve(undefined))),
      );
    }
    const [ours, plain] = [await channel.get(queue), await channel.get(queue)];
    if (!ours || !plain) throw new Error('both are there');
    expect([ours.properties, ours.content]).toEqual([plain.properties, plain.content]);
    expect(ours.properties).toMatchObject({ deliveryMode: 2, ...message.properties });
  });
});
