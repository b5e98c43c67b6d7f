import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Channel } from 'amqplib';

import { ConfirmedPublisher } from '../../../libs/rabbitmq/src/publishing/confirmed-publisher.ts';
import type { OutgoingMessage } from '../../../libs/rabbitmq/src/publishing/outgoing-message.ts';
import { type Cluster, startCluster } from '../../../scripts/broker/start-cluster.ts';
import type { Broker } from '../../../scripts/broker/start-broker.ts';
import {
  openConnection,
  testBrokerCtl,
  testBrokerUrl,
  type TestConnection,
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

jest.setTimeout(180_000);

const QUEUE = 'replies';
const OTHER = 'other-replies';
/** RabbitMQ 3.10 can lose a quorum queue whose node is killed right after its declaration. */
const DECLARED_MS = 2_000;

/**
 * A first publish to a quorum queue while there is no leader. The test prolongs that: the member of the queue on the third
 * node is suspended, so that no leader can be elected.
 */
describe('a quorum queue whose leader dies', () => {
  let cluster: Cluster;
  let here: TestConnection;
  let publisher: ConfirmedPublisher;
  let dead: Broker;
  let own: Broker;
  let third: Broker;

  beforeAll(async () => {
    cluster = await startCluster();
    [dead, own, third] = cluster.nodes as [Broker, Broker, Broker];
    {
      // The node that declares a queue leads it.
      await using elsewhere = await openConnection(dead.url);
      const quorum = { durable: true, arguments: { 'x-queue-type': 'quorum' } };
      await elsewhere.channel.assertQueue(QUEUE, quorum);
      await elsewhere.channel.assertQueue(OTHER, { durable: true });
    }
    await new Promise((resolve) => setTimeout(resolve, DECLARED_MS));
    here = await openConnection(own.url);
    await here.channel.assertQueue(`${OTHER}-here`, { durable: true });
    publisher = await attach();
    await inQueue(third, 'sys:suspend({Name, node()})');
    await dead.kill();
    await until('the broker knows', async () => (await inQueue(own, 'nodes()')).includes(third.name));
  });

  afterAll(async () => {
    publisher?.close();
    await here?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  /** A publisher whose channels have published nothing yet. */
  async function attach(): Promise<ConfirmedPublisher> {
    const fresh = new ConfirmedPublisher();
    await fresh.attach(here.connection);
    return fresh;
  }

  /** Evaluates Erlang on a node, with `Q` the queue and `Name` that of its members. */
  function inQueue(node: Broker, expression: string): Promise<string> {
    const queue = `{ok, Q} = rabbit_amqqueue:lookup(rabbit_misc:r(<<"/">>, queue, <<"${QUEUE}">>))`;
    return node.ctl('eval', `${queue}, {Name, _} = amqqueue:get_pid(Q), ${expression}.`);
  }

  const leader = () => inQueue(own, 'element(2, amqqueue:get_pid(Q))');
  const publish = (queue: string) => publisher.publish(messageTo(queue), () => true);

  it('gets its messages as soon as it has a leader', async () => {
    await inQueue(third, 'sys:resume({Name, node()})');
    await until('it is confirmed', async () => (await publish(QUEUE)) === 'confirmed');
    expect(await publish(QUEUE)).toBe('confirmed');
  });

  it('may hang a channel that first publishes while its leader does not answer, and no other queue waits for long', async () => {
    const name = (await leader()).includes(own.name) ? own : third;
    await inQueue(name, 'sys:suspend({Name, node()})');
    const follower = name === own ? third : own;
    await inQueue(follower, 'sys:suspend({Name, node()})');
    publisher.close();
    publisher = await attach();
    const hanging = publish(QUEUE);
    // Behind it on the same channel.
    expect(await publish(`${OTHER}-here`)).toBe('confirmed');
    expect(await hanging).toBe('unanswered');
    expect(await publish(QUEUE)).toBe('unanswered');
    for (const node of [name, follower]) await inQueue(node, 'sys:resume({Name, node()})');
    await until('it is confirmed', async () => (await publish(QUEUE)) === 'confirmed', 30_000);
  });
});

function messageTo(routingKey: string): OutgoingMessage {
  return {
    exchange: '',
    routingKey,
    content: Buffer.from('{}'),
    mandatory: true,
    properties: { headers: {} },
  };
}
