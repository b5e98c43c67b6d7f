import { randomUUID } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';

import { isTestBrokerFrom } from '../../support/broker.ts';
import { healthy } from '../../support/platform-answers.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';
import { factsOf, type Testimony, witnessForAll } from './witness.ts';

const SESSION = { userId: 'p-1' };
const MANY = 400;
const DROPS_FOREIGN_KEYS = isTestBrokerFrom(4) && !isTestBrokerFrom(4, 3);

describe('direct reply-to keys', () => {
  const service = serviceForAll({ behaviour: healthy(), workers: 1 });
  const witness = witnessForAll(service);

  it.each(['', 'a.b.c', Buffer.alloc(150, 0xff).toString('base64'), '%%%'])(
    'the made-up key amq.rabbitmq.reply-to.%s does no harm',
    async (key) => {
      witness.publish('session.create', {}, { replyTo: `amq.rabbitmq.reply-to.${key}` });
      const { deadLetters } = await witness.refused();
      expect(deadLetters[0]?.properties.headers?.['x-reason']).toBe('VALIDATION_FAILED');
      await service.expectServed();
    },
  );

  // RabbitMQ 4.0 closes a connection that publishes to one of the first two keys.
  it.each([
    ['that is no base64', '%%%.AAAA', true],
    ['that is no process', 'QUFB.AAAA', true],
    // Node.js can decode these keys; RabbitMQ 4.0 cannot.
    ['whose padding is missing', directKey('reply@123456').replace('=.', '.'), true],
    ['whose last letter has more bits', directKey('reply@123456').replace('E=.', 'F=.'), true],
    // RabbitMQ 4.0 considers these keys valid, and drops messages to them.
    ['of a node that is not in the cluster', directKey('reply@123456'), !DROPS_FOREIGN_KEYS],
    ['of a node without a number', directKey('reply@here'), !DROPS_FOREIGN_KEYS],
  ])('the reply to a made-up key %s is parked, and the next command is served', async (_, key, isParked) => {
    witness.publish('session.create', SESSION, { replyTo: `amq.rabbitmq.reply-to.${key}` });
    await service.expectServed();
    await service.idle();
    if (!isParked) return;
    const isThere = ({ undelivered: { length } }: Testimony) => length > 0;
    const { undelivered } = await witness.until('its reply', isThere);
    expect(undelivered.map(factsOf).map(({ type }) => type)).toEqual(['session.created']);
    expect(undelivered[0]?.properties.headers?.['x-reason']).toBe('REPLY_QUEUE_GONE');
  });

  it('many made-up keys do not delay replies to another caller', async () => {
    const before = service.proxy.accepted;
    const parked = witness.counts.undelivered;
    for (let key = 0; key < MANY; key += 1) {
      const options = { userId: new URL(service.url).username, messageId: randomUUID() };
      // Half of the keys are equal, and the others look real.
      const process = key % 2 === 0 ? 'QUFB' : directKey(`reply@${key + 100_000}`).replace(/=\..*$/, '');
      witness.publish('session.create', SESSION, {
        ...options,
        replyTo: `amq.rabbitmq.reply-to.${process}.${key}`,
      });
    }
    const channel = await service.caller.connection.createChannel();
    const types: unknown[] = [];
    const note = (reply: ConsumeMessage | null) => types.push(reply?.properties.type);
    await channel.consume('amq.rabbitmq.reply-to', note, { noAck: true });
    const properties = { replyTo: 'amq.rabbitmq.reply-to', messageId: randomUUID() };
    channel.publish(
      service.name('commands'),
      'session.create',
      Buffer.from(JSON.stringify(SESSION)),
      properties,
    );
    await until('the other one is answered', () => types.length > 0);
    expect(types).toEqual(['session.created']);
    await channel.close();
    await until('their replies are parked', () => witness.counts.undelivered - parked >= MANY);
    // Before RabbitMQ 4.3, the broker closes the connection that publishes to a key that it cannot read.
    expect(service.proxy.accepted - before).toBeLessThan(5);
  });

  it('the key of a disconnected client does no harm', async () => {
    const channel = await service.caller.connection.createChannel();
    const { queue } = await service.caller.channel.assertQueue('', { exclusive: true });
    await channel.consume('amq.rabbitmq.reply-to', () => undefined, { noAck: true });
    channel.sendToQueue(queue, Buffer.alloc(0), { replyTo: 'amq.rabbitmq.reply-to' });
    const [probe] = await until('the key is known', () => service.caller.drain(queue));
    await channel.close();
    const replyTo = String(probe?.properties.replyTo);
    expect(replyTo).toMatch(/^amq\.rabbitmq\.reply-to\../);

    witness.publish('session.create', {}, { replyTo });
    await witness.refused();
    await service.expectServed();
  });

  it('connections of other callers survive all made-up keys', () => {
    const { log, stderr } = service.running;
    expect(log.filter(({ msg }) => msg === 'broker unavailable')).toEqual([]);
    expect(stderr).toBe('');
  });
});

/** Returns a direct reply-to key as a broker node forms it: the process id of a channel, and a secret. */
function directKey(node: string): string {
  const ids = Buffer.alloc(12, 1);
  const process = Buffer.concat([Buffer.from([131, 88, 118, 0, node.length]), Buffer.from(node), ids]);
  return `${process.toString('base64')}.${Buffer.alloc(16, 2).toString('base64')}`;
}
