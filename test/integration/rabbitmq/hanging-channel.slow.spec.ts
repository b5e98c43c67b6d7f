import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Channel } from 'amqplib';

import {
  openConnection,
  testBrokerCtl,
  type TestConnection,
  testBrokerUrl,
  uniquePrefix,
} from '../../support/broker.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';

jest.setTimeout(60_000);

const QUORUM = { durable: true, arguments: { 'x-queue-type': 'quorum' } };
const REPLIES = ['a', 'b', 'c'];
const LATER = ['d', 'e'];

/** Why commands are published and replies are read on separate channels. */
describe('a channel that hangs in the broker, because the queue of its first publish does not answer', () => {
  const prefix = uniquePrefix();
  const commands = `${prefix}-commands`;
  const replies = `${prefix}-replies`;
  const suspended = `suspended_${prefix.replaceAll('-', '_')}`;
  let there: TestConnection;
  let path: TcpProxy;
  let caller: TestConnection;

  beforeEach(async () => {
    there = await openConnection();
    await there.channel.assertQueue(commands, QUORUM);
    await there.channel.assertQueue(replies, QUORUM);
    path = await TcpProxy.start(testBrokerUrl());
    caller = await openConnection(path.through(testBrokerUrl()));
    await testBrokerCtl(
      'eval',
      `{ok, Q} = rabbit_amqqueue:lookup(rabbit_misc:r(<<"/">>, queue, <<"${commands}">>)),
       {Name, _} = amqqueue:get_pid(Q),
       spawn(fun() -> register(${suspended}, self()), sys:suspend(Name), receive go -> sys:resume(Name) end end).`,
    );
  });
  afterEach(async () => {
    await testBrokerCtl('eval', `catch ${suspended} ! go.`);
    await path[Symbol.asyncDispose]();
    for (const queue of [commands, replies]) await there.channel.deleteQueue(queue);
    await there[Symbol.asyncDispose]();
  });

  /** Publishes a command that hangs, and then its replies, as others do. */
  async function send(): Promise<void> {
    caller.channel.sendToQueue(commands, Buffer.from('command'), { persistent: true });
    // Opened after the command has reached the process of the first one.
    await caller.connection.createChannel();
    for (const body of REPLIES) await reply(body);
  }

  async function reply(body: string): Promise<void> {
    there.channel.sendToQueue(replies, Buffer.from(body), { persistent: true });
    await there.channel.waitForConfirms();
  }

  it('keeps the replies that it is given, after its connection has gone, too', async () => {
    const own = await read(caller.channel, replies);
    await send();
    path.cut();
    const next = await read(there.channel, replies);
    // Each second one goes to the channel that hangs.
    for (const body of LATER) await reply(body);
    await until('the next consumer is given something', () => next.length > 0);
    expect([...own, ...next].filter((body) => !LATER.includes(body))).toEqual([]);
    await testBrokerCtl('eval', `${suspended} ! go.`);
    await until('it has all', () => next.length === REPLIES.length + LATER.length);
    expect(next.toSorted()).toEqual([...REPLIES, ...LATER]);
  });

  it('has no other channel of its connection wait', async () => {
    const own = await read(await caller.connection.createChannel(), replies);
    await send();
    await until('all have arrived', () => own.length === REPLIES.length);
    expect(own).toEqual(REPLIES);
  });
});

/** What arrives from now on. */
async function read(channel: Channel, queue: string): Promise<string[]> {
  const bodies: string[] = [];
  await channel.consume(queue, (message) => {
    if (!message) return;
    bodies.push(message.content.toString());
    channel.ack(message);
  });
  return bodies;
}
