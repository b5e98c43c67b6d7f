import type { ChannelModel } from 'amqplib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { BrokerConnection } from '../../../libs/messaging/src/connection/broker-connection.ts';
import { testBrokerUrl } from '../../support/broker.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';

describe('a connection to the broker', () => {
  let proxy: TcpProxy;
  let connection: BrokerConnection;
  let models: ChannelModel[];
  beforeAll(async () => {
    proxy = await TcpProxy.start(testBrokerUrl());
  });
  beforeEach(async () => {
    models = [];
    connection = new BrokerConnection({
      urls: [proxy.through(testBrokerUrl())],
      name: 'a test',
      setUp: async (model) => void models.push(model),
      onState: () => undefined,
      random: Math.random,
    });
    connection.open();
    await isOpen(1);
  });
  afterEach(() => connection.close());
  afterAll(() => proxy[Symbol.asyncDispose]());

  const isOpen = (times: number) =>
    until(`it is open, ${times} times`, () => models.length === times && connection.state.kind === 'open');

  it('is made again where it is reset', async () => {
    connection.reset(models[0]!, 'by a test');
    await isOpen(2);
  });

  it('is not reset by somebody who speaks of the one before it', async () => {
    proxy.cut();
    await isOpen(2);
    connection.reset(models[0]!, 'late');
    const channel = await models[1]!.createChannel();
    await channel.close();
    expect(models).toHaveLength(2);
    expect(connection.state).toEqual({ kind: 'open' });
  });
});
