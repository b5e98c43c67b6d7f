import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Channel, ChannelModel } from 'amqplib';

import { openConnection, testBrokerCtl } from '../../support/broker.ts';
import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import { runCli } from '../cli/run-cli.ts';
import { printedPermissions } from './broker-user.ts';

const PASSWORD = 'secret-of-a-test';
const suffix = randomBytes(4).toString('hex');
const ALL = `all-${suffix}`;
const BEGINNING = `beginning-${suffix}`;
const NEIGHBOUR = `neighbour-${suffix}`;

/** Callers whose rules cover names of the service, with no more than what the command line prints for them. */
describe('callers whose reply queues could be those of the service', () => {
  let folder: string;
  let file: string;
  let service: ServiceUnderTest;
  let variables: Record<'AMQP_URL' | 'AMQP_PREFIX' | 'CALLERS_FILE', string>;
  let namesake: string;
  const connections = new Map<string, ChannelModel>();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'greedy-'));
    file = join(folder, 'callers.json');
    service = await ServiceUnderTest.start({ behaviour: healthy(1) });
    await service.worker();
    namesake = service.prefix;
    const rules = {
      [ALL]: { replyTo: ['*'] },
      [BEGINNING]: { replyTo: [`${service.prefix.slice(0, 2)}*`] },
      [namesake]: {},
      [NEIGHBOUR]: {},
    };
    await writeFile(file, JSON.stringify({ callers: rules }));
    variables = { AMQP_URL: service.url, AMQP_PREFIX: service.prefix, CALLERS_FILE: file };
    const printed = await printedPermissions(variables);
    for (const user of [ALL, BEGINNING, namesake]) {
      await testBrokerCtl('add_user', user, PASSWORD);
      await testBrokerCtl(...(printed.get(user) ?? []));
      const url = new URL(service.url);
      [url.username, url.password] = [user, PASSWORD];
      connections.set(user, (await openConnection(url.href)).connection);
    }
  });

  afterAll(async () => {
    for (const [user, connection] of connections) {
      await connection.close().catch(() => undefined);
      await testBrokerCtl('delete_user', user);
    }
    await service?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const users = [
    ['*', () => ALL, () => `of ${ALL}`],
    ['the beginning of the prefix', () => BEGINNING, () => `${service.prefix.slice(0, 2)}-${suffix}`],
    ['nothing, with the prefix as its name', () => namesake, () => ''],
  ] as const;

  /** One that the broker closes with its refusal. */
  const channelOf = async (user: string): Promise<Channel> =>
    (await connections.get(user)!.createChannel()).on('error', () => undefined);

  it.each(users)('do what they must, with %s', async (_, user, queue) => {
    const channel = await channelOf(user());
    const replies: unknown[] = [];
    const { queue: replyTo } = await channel.assertQueue(queue(), { exclusive: true });
    await channel.consume(replyTo, (message) => replies.push(message?.properties.type), { noAck: true });
    const command = Buffer.from('{"userId":"p-1"}');
    channel.publish(service.name('commands'), 'session.create', command, { replyTo, userId: user() });
    await until('it is answered', () => replies.length === 1);
    expect(replies).toEqual(['session.created']);
  });

  it.each(users)('may do nothing with what is not theirs, with %s', async (_, user, queue) => {
    const spy = queue() === '' ? '' : `${queue()} too`;
    const own = ['interactive', 'reports.retry.5000', 'dead-letters', 'replies.undelivered'];
    const ways: [string, (channel: Channel) => unknown][] = [
      ...own.map((name): [string, (channel: Channel) => unknown] => [
        `read ${name}`,
        (channel) => channel.get(service.name(name)),
      ]),
      ['purge a lane', (channel) => channel.purgeQueue(service.name('interactive'))],
      ['delete a lane', (channel) => channel.deleteQueue(service.name('reports'))],
      ['declare in its name', (channel) => channel.assertQueue(service.name('more'))],
      ['delete the exchange of commands', (channel) => channel.deleteExchange(service.name('commands'))],
      ['read by a binding', (channel) => bound(channel, spy, service.name('commands'))],
      ['read the trace of the broker', (channel) => bound(channel, spy, 'amq.rabbitmq.trace')],
      ['publish to any queue', (channel) => published(channel, '', service.name('interactive'))],
      ['publish an announcement', (channel) => published(channel, service.name('events'), 'x')],
      ['publish to an exchange of the broker', (channel) => published(channel, 'amq.topic', 'x')],
    ];
    for (const [what, way] of ways) {
      const refused = Promise.resolve(way(await channelOf(user()))).then(
        () => `may ${what}`,
        (error: Error) => error.message,
      );
      expect(await refused).toContain('ACCESS_REFUSED');
    }
  });

  it('are named if they may read replies of others', async () => {
    const { stdout } = await runCli(['callers', 'permissions'], { variables });
    expect(stdout).toContain(`# ${ALL} may read replies of ${BEGINNING}, ${NEIGHBOUR}, too\n`);
    expect(stdout.match(/ too\n/g)).toHaveLength(1);
  });

  it('are refused if they are the user of the worker', async () => {
    await writeFile(file, '{"callers":{"guest":{}}}');
    const { code, stderr } = await runCli(['callers', 'permissions'], { variables });
    expect([code, stderr]).toEqual([78, expect.stringContaining("guest is the worker's own user")]);
  });

  async function bound(channel: Channel, spy: string, exchange: string): Promise<unknown> {
    const { queue } = await channel.assertQueue(spy, { exclusive: true });
    return channel.bindQueue(queue, exchange, '#');
  }

  function published(channel: Channel, exchange: string, key: string): Promise<never> {
    const refused = new Promise<never>((_, reject) => channel.once('error', reject));
    channel.publish(exchange, key, Buffer.from('{}'));
    return refused;
  }
});
