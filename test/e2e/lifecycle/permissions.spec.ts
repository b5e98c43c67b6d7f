import { randomBytes, randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { read as readDocument, tablesWith } from '../../docs/markdown.ts';
import { openConnection, testBrokerCtl } from '../../support/broker.ts';
import { healthy } from '../../support/platform-answers.ts';
import type { ServiceUnderTest } from '../../support/service-under-test.ts';
import { serviceForAll, serviceForEach } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

/** What a call of rabbitmqctl does; each of those starts a virtual machine. */
const internal = (name: string, ...args: readonly string[]): string =>
  `rabbit_auth_backend_internal:${name}(${[...args, 'test'].map((arg) => `<<${JSON.stringify(arg)}>>`).join(', ')})`;

type BrokerChannel = ServiceUnderTest['caller']['channel'];

const [WORKER, CALLER] = tablesWith(readDocument('docs/operations.md'), 'User')[0]!.rows;
const PASSWORD = 'secret-of-a-test';
const EXIT_CONFIG = 78;

/** `guest` is refused except from the broker's own machine, so every installation has its own users. */
describe('users with no more than the permissions of docs/operations.md', () => {
  const suffix = randomBytes(4).toString('hex');
  const shop = `shop-${suffix}`;
  const users = [`worker-${suffix}`, `caller-${suffix}`] as const;
  const service = serviceForAll({ behaviour: healthy(3) });

  beforeAll(async () => {
    const calls = [WORKER, CALLER].flatMap((row, index) => {
      const permissions = row!.slice(1).map((cell) => patternOf(cell));
      return [
        internal('add_user', users[index]!, PASSWORD),
        internal('set_permissions', users[index]!, '/', ...permissions),
      ];
    });
    await testBrokerCtl('eval', `${calls.join(', ')}.`);
  });
  afterAll(() => testBrokerCtl('eval', `${users.map((user) => internal('delete_user', user)).join(', ')}.`));

  const patternOf = (cell: string): string =>
    cell.slice(1, -1).replaceAll('poker', service.prefix).replaceAll('shop', shop);
  const urlOf = (user: string): string => {
    const url = new URL(service.proxy.through(service.url));
    [url.username, url.password] = [user, PASSWORD];
    return url.href;
  };

  it('serve commands and reports, and keep replies and dead letters', async () => {
    const worker = await service.worker({ AMQP_URL: urlOf(users[0]) });
    const { connection } = await openConnection(urlOf(users[1]));
    try {
      const channel = await connection.createChannel();
      const replies: (string | undefined)[] = [];
      const { queue } = await channel.assertQueue(`${shop}.replies`, { exclusive: true });
      await channel.consume(queue, (message) => replies.push(message?.properties.type as string), {
        noAck: true,
      });
      const send = (type: string, data: object, replyTo: string): boolean =>
        channel.publish(service.name('commands'), type, Buffer.from(JSON.stringify(data)), {
          replyTo,
          messageId: randomUUID(),
        });
      send('session.create', { userId: 'p-1' }, queue);
      await until('the session is there', () => replies.length === 1);
      send('report.rake.fetch', { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' }, queue);
      await until('the report is there', () => replies.at(-1) === 'report.completed');
      send('session.create', {}, queue);
      await until('the refusal is there', () => replies.at(-1) === 'command.failed');
      expect(replies).toEqual(['session.created', 'report.page', 'report.completed', 'command.failed']);
      send('session.create', { userId: 'p-2' }, 'nobody-has-this-queue');
      await until('the reply is kept', async () => (await service.depth('replies.undelivered')) === 1);
      expect(await service.depth('dead-letters')).toBe(1);
      expect(worker.stderr).toBe('');
    } finally {
      await connection.close();
    }
  });

  it("do not let a caller read the service's queues", async () => {
    const { connection } = await openConnection(urlOf(users[1]));
    connection.on('error', () => undefined);
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    await expect(channel.consume(service.name('replies.undelivered'), () => undefined)).rejects.toThrow(
      /403/,
    );
    await connection.close();
  });
});

describe('a topology that differs from the one on the broker', () => {
  const service = serviceForEach({ behaviour: healthy() });

  const otherTtl = { durable: true, arguments: { 'x-queue-type': 'quorum', 'x-message-ttl': 1000 } };

  it.each<[string, string, (channel: BrokerChannel, name: string) => Promise<unknown>]>([
    ['a queue with another argument', 'dead-letters', (channel, name) => channel.assertQueue(name, otherTtl)],
    ['an exchange', 'events', (channel, name) => channel.assertExchange(name, 'fanout', { durable: true })],
  ])('is reported in one line if it is %s', async (_, rest, declare) => {
    const name = service.name(rest);
    await declare(service.caller.channel, name);
    const worker = service.start();
    expect(await worker.ended()).toEqual({ code: EXIT_CONFIG, signal: null });
    expect(worker.stderr).toMatch(/^[^\n]+\n$/);
    expect(worker.stderr).toContain(name);
    expect(worker.stderr).toContain('Empty and delete it. Or choose another AMQP_PREFIX.');
    expect(worker.stderr).not.toContain(new URL(service.url).password);
  });
});
