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
  const publish = (queue: string) => publisher.publish(messageTo(queue));

  it('costs no connection that asks whether it may be read', async () => {
    await using asking = await openConnection(own.url);
    await checkReading(asking.connection, [QUEUE]);
    expect(await asking.channel.checkQueue(`${OTHER}-here`)).toMatchObject({ messageCount: 0 });
  });

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
