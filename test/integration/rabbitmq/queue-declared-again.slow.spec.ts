import type { Socket } from 'node:net';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ConfirmChannel } from 'amqplib';

import { ConfirmedPublisher } from '../../../libs/rabbitmq/src/publishing/confirmed-publisher.ts';
import {
  drain,
  openConnection,
  testBrokerCtl,
  type TestConnection,
  uniquePrefix,
} from '../../support/broker.ts';

jest.setTimeout(60_000);

const QUORUM = { durable: true, arguments: { 'x-queue-type': 'quorum' } };

describe('a quorum queue that is deleted and declared again under its name', () => {
  let queue: string;
  let owner: TestConnection;
  let sender: TestConnection;
  let publisher: ConfirmedPublisher;

  beforeEach(async () => {
    queue = `${uniquePrefix()}-again`;
    [owner, sender] = await Promise.all([openConnection(), openConnection()]);
    publisher = new ConfirmedPublisher();
    await publisher.attach(sender.connection);
    await owner.channel.assertQueue(queue, QUORUM);
    expect(await publishAll(['a', 'b'])).toEqual(['confirmed', 'confirmed']);
  });
  afterEach(async () => {
    publisher.close();
    await owner.channel.deleteQueue(queue);
    await Promise.all([owner, sender].map((connection) => connection[Symbol.asyncDispose]()));
  });

  const publishAll = (bodies: readonly string[]) =>
    Promise.all(
      bodies.map((body) =>
        publisher.publish(
          {
            exchange: '',
            routingKey: queue,
            content: Buffer.from(body),
            mandatory: true,
            properties: { headers: {} },
          },
          () => true,
        ),
      ),
    );

  it('gets all that is confirmed afterwards, from a channel that has published to it before', async () => {
    for (const bodies of [['c'], ['d', 'e', 'f']]) {
      await owner.channel.deleteQueue(queue);
      expect(await publishAll(['lost'])).toEqual(['returned']);
      await owner.channel.assertQueue(queue, QUORUM);
      expect(new Set(await publishAll(bodies))).toEqual(new Set(['confirmed']));
      expect(new Set(await drain(owner.channel, queue))).toEqual(new Set(bodies));
    }
  });

  it('takes with it what the broker was sent before, though it is confirmed afterwards', async () => {
    const channel = await sender.connection.createConfirmChannel();
    const send = (body: string) => sendConfirmed(channel, queue, body);
    await send('b');
    const behind = `behind_${queue.replaceAll('-', '_')}`;
    // The processes of these channels are behind: what they are sent waits for them.
    await testBrokerCtl(
      'eval',
      `IsOwn = fun(P) -> [{name, N}] = rabbit_channel:info(P, [name]), string:find(N, ":${localPort(sender)} ->") =/= nomatch end,
       Ps = lists:filter(IsOwn, rabbit_channel:list()),
       spawn(fun() ->
         register(${behind}, self()),
         [erlang:suspend_process(P) || P <- Ps],
         receive go -> [erlang:resume_process(P) || P <- Ps] end
       end).`,
    );
    const before = send('before');
    await owner.channel.deleteQueue(queue);
    await owner.channel.assertQueue(queue, QUORUM);
    const after = send('after');
    await testBrokerCtl('eval', `${behind} ! go.`);
    expect([await before, await after]).toEqual(['confirmed', 'confirmed']);
    expect(await drain(owner.channel, queue)).toEqual(['after']);
  });
});

function sendConfirmed(channel: ConfirmChannel, queue: string, body: string): Promise<string> {
  return new Promise((resolve) => {
    channel.sendToQueue(queue, Buffer.from(body), { persistent: true }, (error: Error | null) =>
      resolve(error ? error.message : 'confirmed'),
    );
  });
}

/** By which the broker names the channels of a connection. */
function localPort({ connection }: TestConnection): number {
  const { stream } = (connection as unknown as { connection: { stream: Socket } }).connection;
  return stream.localPort ?? 0;
}
