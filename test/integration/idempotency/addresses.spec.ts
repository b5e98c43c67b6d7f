import type { LookupFunction } from 'node:net';

import { expect, it } from '@jest/globals';

import { inspectRedis } from '#messaging/operator';
import { TlsContext, type TlsMaterial } from '#tls';

import { Authority } from '../../../libs/settings/src/certificates.fixture.ts';
import { PrivateRedis } from '../../support/private-redis.ts';
import { startSlowListener } from '../../support/slow-listener.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';

it('reaches a Redis one second away by a host name whose other address is unreachable', async () => {
  const authority = await Authority.create();
  await using redis = await PrivateRedis.start();
  await using encrypted = await TcpProxy.start(redis.url, await authority.issue(['redis.example']));
  await using slow = await startSlowListener(encrypted.port);
  const lookup: LookupFunction = (_name, _options, callback) =>
    callback(null, [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
  const tls = new TlsContext('REDIS', () => ({ ca: authority.ca, lookup }) as TlsMaterial);
  await slow.slowDown();
  const { kind } = await inspectRedis(`rediss://redis.example:${slow.port}`, tls);
  expect(kind).toBe('available');
});
