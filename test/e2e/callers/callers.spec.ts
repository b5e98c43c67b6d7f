import { randomBytes } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ClientProxyFactory, RmqRecordBuilder, Transport } from '@nestjs/microservices';
import { firstValueFrom } from 'rxjs';

import { createCaller } from '#caller';

import type { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import { runCli } from '../cli/run-cli.ts';
import { type BrokerUser, type ServiceWithCallers, startWithCallers } from './broker-user.ts';

const suffix = randomBytes(4).toString('hex');
const SHOP = `shop-${suffix}`;
const CASHIER = `cashier-${suffix}`;
const FINANCE = `finance-${suffix}`;
const REPORTS = ['report.ad-hoc.fetch', 'report.rake.fetch'];
const RULES = {
  [SHOP]: {
    commands: ['session.create', 'game.open'],
    replyTo: [`${SHOP}.*`, 'amq.rabbitmq.reply-to', 'amq.gen-*'],
  },
  [CASHIER]: { operators: ['acme'], replyTo: [`${CASHIER}.*`] },
  [FINANCE]: { commands: REPORTS, replyTo: [`${FINANCE}.*`] },
};

describe('callers with the rules and broker permissions of CALLERS_FILE', () => {
  let callers: ServiceWithCallers;
  let service: ServiceUnderTest;
  let shop: BrokerUser;
  let cashier: BrokerUser;
  let finance: BrokerUser;

  beforeAll(async () => {
    callers = await startWithCallers();
    ({ service } = callers);
    await callers.startWorker(RULES);
    const users = [SHOP, CASHIER, FINANCE].map((name) => callers.user(name));
    [shop, cashier, finance] = (await Promise.all(users)) as [BrokerUser, BrokerUser, BrokerUser];
  });

  afterAll(async () => callers?.[Symbol.asyncDispose]());

  const deadLetter = (messageId: string) =>
    until(`${messageId} is dead-lettered`, async () =>
      (await service.deadLetters()).find(({ properties }) => properties.messageId === messageId),
    );

  it('run permitted commands, and are refused all others', async () => {
    const data = { userId: 'p-1' };
    expect(await shop.send('session.create', data)).toMatchObject({ type: 'session.created' });
    // One lacks the permission for the command, the other for the operator.
    for (const user of [finance, cashier])
      expect((await user.send('session.create', data)).body).toMatchObject({ code: 'CALLER_FORBIDDEN' });
  });

  it('are identified by their broker user when they send with the command line', async () => {
    const variables = { AMQP_URL: shop.url, AMQP_PREFIX: service.prefix };
    const sendAs = (type: string, data: string) =>
      runCli(['send', type, '--data', data, '--json'], { variables });
    const may = await sendAs('session.create', '{"userId":"p-1"}');
    expect([may.code, may.lines]).toMatchObject([0, [{ type: 'session.created' }]]);
    const mayNot = await sendAs('report.rake.fetch', '{}');
    expect([mayNot.code, mayNot.lines]).toMatchObject([1, [{ body: { code: 'CALLER_FORBIDDEN' } }]]);
  });

  it('are refused without a user id if the rules contain no default', async () => {
    service.caller.publish('session.create', { userId: 'p-1' }, { messageId: 'nameless' });
    const { properties } = await deadLetter('nameless');
    expect(properties.headers).toMatchObject({ 'x-reason': 'REPLY_TO_FORBIDDEN' });
  });

  it('receive no replies in queues of other callers', async () => {
    finance.publish('report.rake.fetch', {}, { messageId: 'thief', replyTo: shop.bus.replyQueue });
    const { properties } = await deadLetter('thief');
    expect(properties.headers).toMatchObject({
      'x-reason': 'REPLY_TO_FORBIDDEN',
      'x-origin-user-id': FINANCE,
    });
    expect(shop.bus.received.filter(({ headers }) => headers['command-id'] === 'thief')).toEqual([]);
  });

  it('cannot replay the reply of another caller or claim its command id', async () => {
    const sent = (user: BrokerUser, userId: string) =>
      user.send('session.create', { userId }, { messageId: 'the-same-id' });
    expect((await sent(shop, 'p-shop')).body).toMatchObject({ userId: 'p-shop' });
    callers.write({ callers: { ...RULES, [CASHIER]: {} } });
    const isServed = async () => (await sent(cashier, 'p-cashier')).type === 'session.created';
    await until('the new rules hold', isServed);
    expect((await sent(shop, 'p-shop')).body).toMatchObject({ userId: 'p-shop' });
  });

  it('keep the previous rules when the changed file is invalid', async () => {
    callers.write({ callers: { '*': { operator: [] } } });
    expect((await shop.send('session.create', { userId: 'p-1' })).type).toBe('session.created');
    callers.write({ callers: RULES });
  });

  it("send with Nest's client through their own exchange", async () => {
    const exchange = `${SHOP}.commands`;
    const channel = await shop.bus.connection.createChannel();
    await channel.assertExchange(exchange, 'topic', { durable: true });
    await channel.bindExchange(service.name('commands'), exchange, '#');
    Logger.overrideLogger(false);
    const client = ClientProxyFactory.create({
      transport: Transport.RMQ,
      options: { urls: [shop.url], exchange, exchangeType: 'topic', wildcards: true },
    });
    try {
      await client.connect();
      const data = new RmqRecordBuilder({ userId: 'p-nest' }).setOptions({ userId: SHOP }).build();
      expect(await firstValueFrom(client.send('session.create', data))).toMatchObject({ userId: 'p-nest' });
    } finally {
      await client.close();
      await channel.deleteExchange(exchange);
    }
  });

  it('need no further permissions for @poker-bridge/caller', async () => {
    const callerOf = ({ url, name }: BrokerUser) =>
      createCaller({ url, name, instance: 'library', prefix: service.prefix, sendUserId: true });
    const [ofShop, ofFinance] = [callerOf(shop), callerOf(finance)];
    expect(await ofShop.createSession({ userId: 'p-library' })).toMatchObject({ userId: 'p-library' });
    const forbidden = ofFinance.createSession({ userId: 'p-library' });
    await expect(forbidden).rejects.toMatchObject({ code: 'CALLER_FORBIDDEN' });
    const day = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
    const report = ofFinance.fetchRakeReport(day);
    for await (const { records } of report) expect(records).toHaveLength(1);
    expect(report.summary).toMatchObject({ records: 1 });
    for (const [user, caller] of [
      [shop, ofShop],
      [finance, ofFinance],
    ] as const) {
      await caller.close();
      await (await user.bus.connection.createChannel()).deleteQueue(caller.replyQueue);
    }
  });
});
