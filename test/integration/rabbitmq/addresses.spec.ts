import { createServer } from 'node:http';
import type { LookupFunction } from 'node:net';

import { expect, it } from '@jest/globals';

import { OneShotConnection, type ConnectionTls } from '#rabbitmq';

import { testBrokerCtl, testBrokerUrl, uniquePrefix } from '../../support/broker.ts';
import { listenOnLoopback } from '../../support/loopback-server.ts';
import { startSlowListener } from '../../support/slow-listener.ts';

const open = (url: string, tls?: ConnectionTls) => OneShotConnection.open([url], { name: 'addresses', tls });
const { port } = new URL(testBrokerUrl());

it('logs in with a non-ASCII user to the virtual host "/"', async () => {
  const user = `${uniquePrefix()}-zoë`;
  await testBrokerCtl('add_user', user, 'pé%#');
  await testBrokerCtl('set_permissions', user, '.*', '.*', '.*');
  const credentials = [user, 'pé%#'].map(encodeURIComponent).join(':');
  await using connection = await open(`amqp://${credentials}@127.0.0.1:${port}//`);
  expect(connection.user).toBe(user);
  await testBrokerCtl('delete_user', user);
});

it('names an HTTP port as the cause of a failed connection', async () => {
  const server = createServer();
  const webPort = await listenOnLoopback(server);
  await expect(open(`amqp://127.0.0.1:${webPort}`)).rejects.toThrow(/127\.0\.0\.1:\d+ speaks HTTP, not AMQP/);
  server.close();
});

it('reaches a broker one second away by a host name whose other address is unreachable', async () => {
  await using slow = await startSlowListener(Number(port));
  const lookup: LookupFunction = (_name, _options, callback) =>
    callback(null, [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
  await slow.slowDown();
  const url = Object.assign(new URL(testBrokerUrl()), { hostname: 'broker.example', port: slow.port }).href;
  const material = { lookup } as ConnectionTls['material'];
  await using connection = await open(url, { material });
  expect(connection.isBlocked).toBe(false);
});
