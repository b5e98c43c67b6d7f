import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { checkReading } from '../../../libs/rabbitmq/src/topology/access.ts';
import { ConfirmedPublisher } from '../../../libs/rabbitmq/src/publishing/confirmed-publisher.ts';
import { messageTo } from '../../../libs/rabbitmq/src/outgoing-message.fixture.ts';
import { type Broker, type Cluster, startCluster } from '../../../scripts/broker/start-broker.ts';
import { openConnection, type TestConnection } from '../../support/broker.ts';
import { until } from '../../support/until.ts';

const QUEUE = 'replies';
const OTHER = 'other-replies';
/** RabbitMQ 3.10 can lose a quorum queue whose node is killed right after its declaration. */
const DECLARED_MS = 2_000;

/**
 * The first publish to a quorum queue without a leader. The test prolongs that state by suspending the
 * queue's member on the third node, so that no leader can be elected.
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

  /** Returns a publisher whose channels have published nothing yet. */
  async function attach(): Promise<ConfirmedPublisher> {
    const fresh = new ConfirmedPublisher();
    await fresh.attach(here.connection);
    return fresh;
  }

  /** Evaluates Erlang on a node; `Q` is the queue and `Name` the name of its members. */
  function inQueue(node: Broker, expression: string): Promise<string> {
    const queue = `{ok, Q} = rabbit_amqqueue:lookup(rabbit_misc:r(<<"/">>, queue, <<"${QUEUE}">>))`;
    return node.ctl('eval', `${queue}, {Name, _} = amqqueue:get_pid(Q), ${expression}.`);
  }

  const leader = () => inQueue(own, 'element(2, amqqueue:get_pid(Q))');
  const publish = (queue: string) => publisher.publish(messageTo(queue));

  it('survives checkReading without a lost connection', async () => {
    await using asking = await openConnection(own.url);
    await checkReading(asking.connection, [QUEUE]);
    expect(await asking.channel.checkQueue(`${OTHER}-here`)).toMatchObject({ messageCount: 0 });
  });

  it('receives messages as soon as it has a new leader', async () => {
    await inQueue(third, 'sys:resume({Name, node()})');
    await until('it is confirmed', async () => (await publish(QUEUE)) === 'confirmed');
    expect(await publish(QUEUE)).toBe('confirmed');
  });

  it('delays only its own messages while a channel hangs that first published without a leader', async () => {
    const name = (await leader()).includes(own.name) ? own : third;
    await inQueue(name, 'sys:suspend({Name, node()})');
    const follower = name === own ? third : own;
    await inQueue(follower, 'sys:suspend({Name, node()})');
    publisher.close();
    publisher = await attach();
    const hanging = publish(QUEUE);
    // Queued behind it on the same channel.
    expect(await publish(`${OTHER}-here`)).toBe('confirmed');
    expect(await hanging).toBe('unanswered');
    expect(await publish(QUEUE)).toBe('unanswered');
    for (const node of [name, follower]) await inQueue(node, 'sys:resume({Name, node()})');
    await until('it is confirmed', async () => (await publish(QUEUE)) === 'confirmed', 30_000);
  });
});
