import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Channel } from 'amqplib';

import { testBrokerCtl } from '../../support/broker.ts';
import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import { BrokerUser, printedPermissions } from './broker-user.ts';

const suffix = randomBytes(4).toString('hex');
const SHOP = `shop-${suffix}`;
const KIOSK = `kiosk-${suffix}`;
const WORKER = `worker-${suffix}`;
const PASSWORD = 'secret-of-a-test';
const SESSION = { userId: 'p-1' };

/** A worker and two callers, each with no more than the command line prints. */
describe('callers with the permissions of the command line', () => {
  let folder: string;
  let service: ServiceUnderTest;
  let shop: BrokerUser;
  let kiosk: BrokerUser;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ways-in-'));
    const file = join(folder, 'callers.json');
    // One names its reply queues, the other has none of its own.
    await writeFile(file, JSON.stringify({ callers: { [SHOP]: { replyTo: [`${SHOP}.*`] }, [KIOSK]: {} } }));
    service = await ServiceUnderTest.start({ behaviour: healthy(1), variables: { CALLERS_FILE: file } });
    const url = new URL(service.url);
    [url.username, url.password] = [WORKER, PASSWORD];
    const variables = { AMQP_URL: url.href, AMQP_PREFIX: service.prefix, CALLERS_FILE: file };
    const permissions = await printedPermissions(variables);
    expect([...permissions.keys()]).toEqual([WORKER, SHOP, KIOSK]);
    await testBrokerCtl('add_user', WORKER, PASSWORD);
    await testBrokerCtl(...(permissions.get(WORKER) ?? []));
    await service.worker({ AMQP_URL: url.href });
    shop = await BrokerUser.create(SHOP, permissions.get(SHOP) ?? [], service);
    kiosk = await BrokerUser.create(KIOSK, permissions.get(KIOSK) ?? [], service);
  });

  afterAll(async () => {
    for (const user of [shop, kiosk]) await user?.[Symbol.asyncDispose]();
    await service?.[Symbol.asyncDispose]();
    await testBrokerCtl('delete_user', WORKER);
    await rm(folder, { recursive: true });
  });

  it('are served by a worker that has no more than its own', async () => {
    shop.send('session.create', SESSION);
    await until('the session is there', () => shop.replies.length === 1);
    expect(shop.replies[0]?.type).toBe('session.created');
    shop.send('session.create', SESSION, { replyTo: `${SHOP}.gone` });
    const undelivered = service.name('replies.undelivered');
    await until('a reply is parked', async () => {
      return (await service.caller.channel.checkQueue(undelivered)).messageCount === 1;
    });
  });

  it('may have replies in a queue that the broker named, which nobody else reads', async () => {
    const channel = await kiosk.connection.createChannel();
    const { queue } = await channel.assertQueue('', { exclusive: true });
    const types: unknown[] = [];
    await channel.consume(queue, (message) => types.push(message?.properties.type), { noAck: true });
    channel.publish(service.name('commands'), 'session.create', Buffer.from(JSON.stringify(SESSION)), {
      replyTo: queue,
      userId: KIOSK,
      messageId: randomUUID(),
    });
    await until('the session is there', () => types.length === 1);
    expect(types).toEqual(['session.created']);
    await expect((await shopChannel()).get(queue)).rejects.toThrow(/403/);
  });

  const ways: [string, (channel: Channel) => Promise<unknown>][] = [
    ['read the commands of others by a binding', (channel) => listen(channel, service.name('commands'))],
    ['read the announcements by a binding', (channel) => listen(channel, service.name('events'))],
    ['write into a lane by a binding', (channel) => bindTo(channel, service.name('interactive'))],
    [
      'write into a retry queue by a binding',
      (channel) => bindTo(channel, service.name('reports.retry.5000')),
    ],
    ['write into the reply queue of another by a binding', (channel) => bindTo(channel, kiosk.replyQueue)],
    [
      'write into a lane by dead letters of its own',
      (channel) =>
        channel.assertQueue(`${SHOP}.trap`, {
          deadLetterExchange: '',
          deadLetterRoutingKey: service.name('reports'),
        }),
    ],
    [
      'announce by an alternate exchange',
      (channel) =>
        channel.assertExchange(`${SHOP}.announcer`, 'topic', { alternateExchange: service.name('events') }),
    ],
    ['empty a lane', (channel) => channel.purgeQueue(service.name('interactive'))],
    ['delete a lane', (channel) => channel.deleteQueue(service.name('interactive'))],
    ['declare a queue of the service', (channel) => channel.assertQueue(service.name('reports.retry.1'))],
    ['declare a reply queue of another', (channel) => channel.assertQueue(`${KIOSK}.more`)],
  ];

  it.each(ways)('may not %s', async (_, way) => {
    await expect(way(await shopChannel())).rejects.toThrow(/403/);
  });

  /** One that the broker closes with its refusal. */
  async function shopChannel(): Promise<Channel> {
    const channel = await shop.connection.createChannel();
    return channel.on('error', () => undefined);
  }

  /** Binds a queue of the caller to an exchange. */
  async function listen(channel: Channel, exchange: string): Promise<unknown> {
    const { queue } = await channel.assertQueue(`${SHOP}.spy`, { exclusive: true });
    return channel.bindQueue(queue, exchange, '#');
  }

  /** Binds a queue to the exchange of the caller. */
  async function bindTo(channel: Channel, queue: string): Promise<unknown> {
    await channel.assertExchange(`${SHOP}.commands`, 'topic', { autoDelete: true });
    return channel.bindQueue(queue, `${SHOP}.commands`, '#');
  }
});
