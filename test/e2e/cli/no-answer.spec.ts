import { beforeEach, describe, expect, it } from '@jest/globals';

import type { GetMessage } from 'amqplib';

import { openConnection, testBrokerUrl, uniquePrefix } from '../../support/broker.ts';
import { stackForAll } from '../../support/suite-service.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import { type CliRun, runCli } from './run-cli.ts';

const COMMAND = ['send', 'session.create', '--data', '{"userId":"u-1"}'];

const again = (id: string) =>
  `The command may be run all the same: send it again with --id ${id}, and it is run once.\n`;

const prefix = uniquePrefix();
const exchange = `${prefix}.commands`;
const queue = `${prefix}.interactive`;
const stack = stackForAll();
const broker = stack.use(await openConnection());
await broker.channel.assertExchange(exchange, 'direct');
stack.defer(async () => void (await broker.channel.deleteExchange(exchange)));
const args = { 'x-max-length': 1, 'x-overflow': 'reject-publish' };
await broker.channel.assertQueue(queue, { arguments: args });
stack.defer(async () => void (await broker.channel.deleteQueue(queue)));
await broker.channel.bindQueue(queue, exchange, 'session.create');
beforeEach(() => broker.channel.purgeQueue(queue));

const isSent = async () => (await broker.channel.checkQueue(queue)).messageCount === 1;
const urlWith = (change: Partial<URL>): string => Object.assign(new URL(testBrokerUrl()), change).href;

describe('poker-bridge send, without a worker', () => {
  const send = (variables: Readonly<Record<string, string>>, ...more: string[]): Promise<CliRun> =>
    runCli([...COMMAND, ...more], {
      variables: { AMQP_URL: testBrokerUrl(), AMQP_PREFIX: prefix, ...variables },
    });

  it('exits with 3 if no reply arrives in time, and says what is missing', async () => {
    const { code, stdout, stderr } = await send({}, '--deadline-ms', '200', '--id', 'id-1', '--json');
    const missing = `No answer came within 200 ms. No worker serves ${queue}. ${again('id-1')}`;
    expect([code, stdout, stderr]).toEqual([3, '', missing]);
    const message = (await broker.channel.get(queue, { noAck: true })) as GetMessage;
    expect(message.content.toString()).toBe('{"userId":"u-1"}');
    expect(message.properties).toMatchObject({
      type: 'session.create',
      messageId: 'id-1',
      contentType: 'application/json',
      deliveryMode: 2,
      appId: 'poker-bridge-cli',
      headers: { 'x-deadline': expect.stringMatching(/^\d{4}-.*Z$/) },
    });
    expect(message.properties.headers).not.toHaveProperty('operator');
  });

  it.each([
    ['that is not JSON as a text', '{', '"{"'],
    [
      'on one line, digit for digit',
      '{\r\n\t"a":\t"x  \u2028y",\n"b": 1.50}\n',
      '{ "a": "x  \\u2028y", "b": 1.50}',
    ],
  ])('prints a reply %s', async (_, content, body) => {
    const running = send({}, '--json');
    await until('the command is in its queue', isSent);
    const message = (await broker.channel.get(queue, { noAck: true })) as GetMessage;
    const properties = { type: 'odd', headers: { sequence: 0, final: true } };
    broker.channel.sendToQueue(String(message.properties.replyTo), Buffer.from(content), properties);
    const { code, stdout } = await running;
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^{"type":"odd",.*}\n$/)]);
    expect(stdout).toContain(`,"body":${body}}\n`);
  });

  it('exits with 3 if the worker that has the command does not reply, and says where to look', async () => {
    const { consumerTag } = await broker.channel.consume(queue, () => undefined, { noAck: true });
    const { code, stderr } = await send({}, '--deadline-ms', '200');
    await broker.channel.cancel(consumerTag);
    expect([code, stderr]).toEqual([3, expect.stringContaining('poker-bridge dead-letters list says why')]);
  });

  it('exits with 3 if the queue is full or missing', async () => {
    broker.channel.sendToQueue(queue, Buffer.from('{}'));
    await broker.channel.waitForConfirms();
    const full = 'The broker refuses the command, because its queue is full: send it again later.\n';
    expect(await send({})).toMatchObject({ code: 3, stderr: full });
    await broker.channel.unbindQueue(queue, exchange, 'session.create');
    const missing = 'The broker has no queue for the command: start a worker, which declares it.\n';
    expect(await send({})).toMatchObject({ code: 3, stderr: missing });
    await broker.channel.bindQueue(queue, exchange, 'session.create');
  });

  it('exits with 3 if no worker has ever run', async () => {
    const { code, stderr } = await send({ AMQP_PREFIX: `${prefix}-other` });
    const missing = `The broker has no exchange ${prefix}-other.commands`;
    expect([code, stderr]).toEqual([3, expect.stringContaining(missing)]);
  });

  it('exits with 3 if no broker can be reached, after trying each', async () => {
    const url = 'amqp://user:hush@127.0.0.1:1';
    const { code, stderr } = await send({ AMQP_URL: `${url},${url}/other` });
    expect(code).toBe(3);
    expect(stderr).toMatch(/^No broker can be reached \(.*ECONNREFUSED.*; .*ECONNREFUSED.*\)\.\n$/);
    expect(stderr).not.toContain('hush');
  });

  it('exits with 3 if the connection is lost', async () => {
    await using proxy = await TcpProxy.start(testBrokerUrl());
    const running = send({ AMQP_URL: proxy.through(testBrokerUrl()) });
    await until('the command is in its queue', isSent);
    proxy.cut();
    const lost = `No answer came: the connection to the broker was lost. ${again('[0-9a-f-]{36}')}$`;
    expect(await running).toMatchObject({ code: 3, stderr: expect.stringMatching(lost) });
  });

  it.each([
    ['a wrong URL', { AMQP_URL: 'http://hush' }, 'AMQP_URL: must be amqp or amqps URLs, comma separated\n'],
    ['a wrong password', { AMQP_URL: urlWith({ password: 'hush' }) }, 'refuses this user or password'],
    [
      'a wrong virtual host',
      { AMQP_URL: urlWith({ pathname: '/no' }) },
      "the virtual host 'no' to this user",
    ],
  ])('exits with 78 for %s, without printing its value', async (_, variables, expected) => {
    const { code, stdout, stderr } = await send(variables, '--json');
    expect([code, stdout, stderr]).toEqual([78, '', expect.stringContaining(expected)]);
    expect(stderr).not.toContain('hush');
  });
});
