import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';

const SESSION = { userId: 'p-1' };
const MANY = 400;

describe('four hundred commands of one caller, each with a direct reply key that it made up', () => {
  let service: ServiceUnderTest;

  beforeAll(async () => {
    service = await ServiceUnderTest.start({ behaviour: healthy() });
    await service.worker();
  });
  afterAll(async () => service?.[Symbol.asyncDispose]());

  it('do not have another caller wait for the broker to read each of them', async () => {
    const before = service.proxy.accepted;
    const userId = new URL(service.url).username;
    for (let key = 0; key < MANY; key += 1) {
      const replyTo = `amq.rabbitmq.reply-to.QUFB.${key}`;
      service.caller.publish('session.create', SESSION, { userId, replyTo, messageId: randomUUID() });
    }
    const channel = await service.caller.connection.createChannel();
    const types: unknown[] = [];
    await channel.consume('amq.rabbitmq.reply-to', (reply) => types.push(reply?.properties.type), {
      noAck: true,
    });
    const content = Buffer.from(JSON.stringify(SESSION));
    channel.publish(service.name('commands'), 'session.create', content, {
      replyTo: 'amq.rabbitmq.reply-to',
      messageId: randomUUID(),
    });

    await until('the other one is answered', () => types.length > 0);
    expect(types).toEqual(['session.created']);
    // Before RabbitMQ 4.3, a key that the broker cannot read costs the connection over which it is published.
    expect(service.proxy.accepted - before).toBeLessThan(MANY / 2);
  });

  it('have their replies parked', async () => {
    const undelivered = service.name('replies.undelivered');
    await until('all are there', async () => {
      return (await service.caller.channel.checkQueue(undelivered)).messageCount === MANY;
    });
  });
});
