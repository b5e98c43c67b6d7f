import { randomBytes } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Channel } from 'amqplib';

import { until } from '../../support/until.ts';
import { runCli } from '../cli/run-cli.ts';
import { type BrokerUser, type ServiceWithCallers, startWithCallers } from './broker-user.ts';

const suffix = randomBytes(4).toString('hex');
const SHOP = `shop-${suffix}`;
const KIOSK = `kiosk-${suffix}`;
const ALL = `all-${suffix}`;
const BEGINNING = `beginning-${suffix}`;
const NAMED = `named-${suffix}`;
const USERS = ['shop', 'kiosk', 'all', 'beginning', 'named', 'namesake'] as const;

type Way = (channel: Channel) => Promise<unknown>;

/**
 * Callers with the printed permissions; the rules of the last four cover names of the service or of the
 * broker.
 */
describe('broker users with only the printed permissions', () => {
  let callers: ServiceWithCallers;
  let users: Record<(typeof USERS)[number], BrokerUser>;

  beforeAll(async () => {
    callers = await startWithCallers();
    const { prefix } = callers.service;
    const start = prefix.slice(0, 2);
    await callers.startWorker({
      [SHOP]: { replyTo: [`${SHOP}.*`, `month-end+${suffix}`] },
      [KIOSK]: {},
      [ALL]: { replyTo: ['*'] },
      [BEGINNING]: { replyTo: [`${start}*`] },
      [NAMED]: { replyTo: ['amq.*'] },
      [prefix]: {},
    });
    const [shop, kiosk, all, beginning, named, namesake] = await Promise.all([
      callers.user(SHOP),
      // The broker generates the queue name.
      callers.user(KIOSK, ''),
      callers.user(ALL, `of ${ALL}`),
      callers.user(BEGINNING, `${start}-${suffix}`),
      callers.user(NAMED, ''),
      callers.user(prefix, ''),
    ]);
    users = { shop, kiosk, all, beginning, named, namesake };
  });

  afterAll(async () => callers?.[Symbol.asyncDispose]());

  const name = (rest: string) => callers.service.name(rest);

  it.each(USERS)('receive replies: %s', async (which) => {
    const { type } = await users[which].send('session.create', { userId: 'p-1' });
    expect(type).toBe('session.created');
  });

  it('have a reply parked by the worker if its queue does not exist', async () => {
    users.shop.publish('session.create', { userId: 'p-1' }, { replyTo: `${SHOP}.gone` });
    const undelivered = name('replies.undelivered');
    await until('it is parked', async () => {
      return (await callers.service.caller.channel.checkQueue(undelivered)).messageCount === 1;
    });
  });

  /** Returns the operations forbidden to every user; `spy` is a queue that the user may declare. */
  const waysOf = (spy: string): [string, Way][] => [
    ...['interactive', 'reports.retry.5000', 'dead-letters', 'replies.undelivered'].flatMap(
      (queue): [string, Way][] => [
        [`read ${queue}`, (channel) => channel.get(name(queue))],
        [`publish to ${queue}`, (channel) => published(channel, '', name(queue))],
      ],
    ),
    ['purge a lane', (channel) => channel.purgeQueue(name('interactive'))],
    ['delete a lane', (channel) => channel.deleteQueue(name('reports'))],
    ['declare a queue of the service', (channel) => channel.assertQueue(name('more'))],
    ['delete the exchange of commands', (channel) => channel.deleteExchange(name('commands'))],
    ['read commands by a binding', (channel) => bound(channel, spy, name('commands'))],
    ['read announcements by a binding', (channel) => bound(channel, spy, name('events'))],
    ['read the trace of the broker', (channel) => bound(channel, spy, 'amq.rabbitmq.trace')],
    ['publish an announcement', (channel) => published(channel, name('events'), 'x')],
    ['publish to an exchange of the broker', (channel) => published(channel, 'amq.topic', 'x')],
  ];

  it.each(USERS)('cannot access resources of others: %s', async (which) => {
    const user = users[which];
    const { replyQueue } = user.bus;
    const spy = replyQueue.startsWith('amq.') ? '' : `${replyQueue} too`;
    for (const way of waysOf(spy)) await expectRefused(user, way);
  });

  it('cannot reach resources of others through their own exchange or queue', async () => {
    const { shop, kiosk } = users;
    const own = await shop.channel();
    await own.assertQueue(`month-end+${suffix}`, { exclusive: true });
    const ways: [string, Way][] = [
      ['write into a lane by a binding', (channel) => bindTo(channel, name('interactive'))],
      ['write into a retry queue by a binding', (channel) => bindTo(channel, name('reports.retry.5000'))],
      ['write into the queue of another by a binding', (channel) => bindTo(channel, kiosk.bus.replyQueue)],
      ['read the queue of another', (channel) => channel.get(kiosk.bus.replyQueue)],
      ['publish to the queue of another', (channel) => published(channel, '', kiosk.bus.replyQueue)],
      ['declare a queue of another', (channel) => channel.assertQueue(`${KIOSK}.more`)],
      ['declare a longer name', (channel) => channel.assertQueue(`month-end+${suffix}.more`)],
      ['declare a name before its own', (channel) => channel.assertQueue(`other-${SHOP}.replies`)],
      ['take a pattern for a name', (channel) => channel.assertQueue(`month-enddd${suffix}`)],
      ['take any character for the dot', (channel) => channel.assertQueue(`${SHOP}-replies`)],
      [
        'write into a lane by dead letters',
        (channel) =>
          channel.assertQueue(`${SHOP}.trap`, {
            deadLetterExchange: '',
            deadLetterRoutingKey: name('reports'),
          }),
      ],
      [
        'announce by an alternate exchange',
        (channel) =>
          channel.assertExchange(`${SHOP}.announcer`, 'topic', { alternateExchange: name('events') }),
      ],
    ];
    for (const way of ways) await expectRefused(shop, way);
  });

  it('are listed if they may read replies of others', async () => {
    const { stdout } = await printed();
    expect(stdout).toContain(`# ${ALL} may read replies of ${SHOP}, ${KIOSK}, ${BEGINNING}, ${NAMED}, too\n`);
    expect(stdout.match(/ too\n/g)).toHaveLength(1);
  });

  it('are rejected if a caller is the user of the worker', async () => {
    callers.write({ callers: { guest: {} } });
    const { code, stderr } = await printed();
    expect([code, stderr]).toEqual([78, expect.stringContaining("guest is the worker's own user")]);
  });

  function printed() {
    const { url, prefix } = callers.service;
    const variables = { AMQP_URL: url, AMQP_PREFIX: prefix, CALLERS_FILE: callers.file };
    return runCli(['callers', 'permissions'], { variables });
  }
});

async function expectRefused(user: BrokerUser, [what, way]: [string, Way]): Promise<void> {
  const refused = way(await user.channel()).then(
    () => `may ${what}`,
    (error: Error) => error.message,
  );
  expect(await refused).toMatch(/ACCESS_REFUSED|RESOURCE_LOCKED/);
}

async function bound(channel: Channel, spy: string, exchange: string): Promise<unknown> {
  const { queue } = await channel.assertQueue(spy, { exclusive: true });
  return channel.bindQueue(queue, exchange, '#');
}

/** Binds a queue to the caller's exchange. */
async function bindTo(channel: Channel, queue: string): Promise<unknown> {
  await channel.assertExchange(`${SHOP}.commands`, 'topic', { autoDelete: true });
  return channel.bindQueue(queue, `${SHOP}.commands`, '#');
}

function published(channel: Channel, exchange: string, key: string): Promise<never> {
  const refused = new Promise<never>((_, reject) => channel.once('error', reject));
  channel.publish(exchange, key, Buffer.from('{}'));
  return refused;
}
