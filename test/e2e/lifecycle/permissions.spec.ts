import { randomBytes, randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { read as readDocument, tablesWith } from '../../docs/markdown.ts';
import { openConnection, testBrokerCtl } from '../../support/broker.ts';
import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../../scripts/processes/worker-process.ts';
import { EXIT_CONFIG } from './refusal-of.ts';

type BrokerChannel = ServiceUnderTest['caller']['channel'];

const [WORKER, CALLER] = tablesWith(readDocument('docs/operations.md'), 'User')[0]!.rows;
const PASSWORD = 'secret-of-a-test';

/** `guest` is refused except from the broker's own machine, so every installation has its own users. */
describe('users with no more than the permissions of docs/operations.md', () => {
  const suffix = randomBytes(4).toString('hex');
  const shop = `shop-${suffix}`;
  const users = [`worker-${suffix}`, `caller-${suffix}`] as const;
  const service = ServiceUnderTest.forAll({ behaviour: healthy(3) });

  beforeAll(async () => {
    for (const [index, row] of [WORKER, CALLER].entries()) {
      const user = users[index]!;
      const permissions = row!.slice(1).map((cell) => patternOf(cell));
      await testBrokerCtl('add_user', user, PASSWORD);
      await testBrokerCtl('set_permissions', user, ...permissions);
    }
  });
  afterAll(async () => {
    for (const user of users) await testBrokerCtl('delete_user', user);
  });

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
      const depth = async (rest: string) =>
        (await service.caller.channel.checkQueue(service.name(rest))).messageCount;
      await until('the reply is kept', async () => (await depth('replies.undelivered')) === 1);
      expect(await depth('dead-letters')).toBe(1);
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

const NONE = '^$';
const COMMANDS = 5;

describe('a worker whose broker user lacks a permission', () => {
  const user = `worker-${randomBytes(4).toString('hex')}`;
  let service: ServiceUnderTest;
  let worker: WorkerProcess;

  beforeAll(async () => {
    service = await ServiceUnderTest.start({ behaviour: healthy() });
    await testBrokerCtl('add_user', user, PASSWORD);
  });

  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    await testBrokerCtl('delete_user', user);
  });

  const url = (): string => {
    const own = new URL(service.proxy.through(service.url));
    [own.username, own.password] = [user, PASSWORD];
    return own.href;
  };
  const patterns = () => {
    const own = `^${service.prefix}\\.`;
    return [own, `^(${service.prefix}\\.|amq\\.default$)`, own] as const;
  };
  const allow = (configure: string, write: string, read: string) =>
    testBrokerCtl('set_permissions', user, configure, write, read);
  const lastError = async () => (await worker.health()).bus.lastError;
  const isReady = async () => (await worker.get('/health/ready')).status === 200;
  const refusals = () =>
    worker.log.filter(({ msg }) => String(msg).startsWith('the broker refuses something'));
  const depth = async () =>
    (await service.caller.channel.checkQueue(service.name('interactive'))).messageCount;

  it('says at start what is missing and what to type, and serves once it is there', async () => {
    const [configure, write, read] = patterns();
    await allow(configure, write, NONE);
    worker = service.start({ AMQP_URL: url() });
    await until('it says so', async () => /lacks the read permission/.test((await lastError()) ?? ''));
    expect(await lastError()).toContain(
      `rabbitmqctl set_permissions --vhost '/' '${user}' '${configure}' '${write}' '${read}'`,
    );
    await until('it is logged', () => refusals().length > 0);
    expect([await isReady(), refusals().length]).toEqual([false, 1]);
    await allow(configure, write, read);
    await until('it is ready', isReady, 10_000);
    const [reply] = await service.caller.send('session.create', { userId: 'p-0' });
    expect(reply?.type).toBe('session.created');
  });

  it.each([
    ['write', 'to the default exchange', () => [patterns()[0], patterns()[0], patterns()[2]] as const],
    ['write', 'to its events', () => [patterns()[0], '^amq\\.default$', patterns()[2]] as const],
    ['configure', '', () => [NONE, patterns()[1], patterns()[2]] as const],
    ['read', '', () => [patterns()[0], patterns()[1], NONE] as const],
  ])(
    'that it had before, to %s %s, takes and calls nothing until it has it again',
    async (permission, _, left) => {
      service.platform.requests.length = 0;
      const before = { refusals: refusals().length, connections: service.proxy.accepted };
      await allow(...left());
      service.proxy.cut();
      await until('it is told', () => refusals().length > before.refusals);
      expect(await lastError()).toContain(`lacks the ${permission} permission`);
      await until('it takes nothing', async () => (await consumers()) === 0);
      const answers = Array.from({ length: COMMANDS }, (_none, index) =>
        service.caller.sendForOne('session.create', { userId: `p-${index}` }),
      );
      await until('they wait', async () => (await depth()) === COMMANDS);
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      expect([await depth(), service.platform.requests.length, await isReady()]).toEqual([
        COMMANDS,
        0,
        false,
      ]);
      expect(service.proxy.accepted - before.connections).toBeLessThan(10);
      await allow(...patterns());
      for (const { type } of await Promise.all(answers)) expect(type).toBe('session.created');
      await until('it is ready', isReady, 10_000);
      expect(service.platform.requests).toHaveLength(COMMANDS);
      const redelivered = await worker.metric('poker_redeliveries_total');
      expect(redelivered ?? 0).toBe(0);
    },
  );

  it.each(['interactive', 'quarantine'])(
    'to read %s alone, says so, though its consumers stand, and serves once it has it again',
    async (rest) => {
      const [configure, write] = patterns();
      await allow(configure, write, `^${service.prefix}\\.(?!${rest}$)`);
      const isTold = async () => (await lastError())?.includes('lacks the read permission');
      await until('it says so', isTold, 20_000);
      expect([await lastError(), await isReady()]).toEqual([
        expect.stringContaining(service.name(rest)),
        false,
      ]);
      await allow(...patterns());
      await until('it is ready', isReady, 10_000);
      const [reply] = await service.caller.send('session.create', { userId: 'p-0' });
      expect(reply?.type).toBe('session.created');
    },
  );

  const consumers = async () =>
    (await service.caller.channel.checkQueue(service.name('interactive'))).consumerCount;
});

describe('a topology that differs from the one on the broker', () => {
  const service = ServiceUnderTest.forEach({ behaviour: healthy() });

  const otherTtl = { durable: true, arguments: { 'x-queue-type': 'quorum', 'x-message-ttl': 1000 } };

  it.each<[string, string, (channel: BrokerChannel, name: string) => Promise<unknown>]>([
    ['a queue of another kind', 'reports', (channel, name) => channel.assertQueue(name, { durable: true })],
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
