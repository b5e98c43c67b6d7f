import { once } from 'node:events';
import type { LookupAddress } from 'node:dns';
import { connect, createServer } from 'node:net';

import { describe, expect, it } from '@jest/globals';

import { DnsCache } from '#platform';

import { startSlowListener } from '../../support/slow-listener.ts';
import { buildClient, codeOf, createSession, platform } from './client.ts';
import { SESSION } from './documents.ts';
import { answers } from './local-platform.ts';

const NEAR: LookupAddress = { address: '127.0.0.1', family: 4 };
const OTHER: LookupAddress = { address: '127.0.0.2', family: 4 };
const REFUSED: LookupAddress = { address: '::1', family: 6 };

function clientBy(port: number, ...addresses: LookupAddress[]) {
  const dns = new DnsCache((_name, _options, answer) => void setImmediate(answer, null, addresses));
  const origin = `http://platform.example:${port}`;
  return buildClient({ origin, limits: { maxAttempts: 1, attemptTimeoutMs: 10_000 }, transport: { dns } })
    .client;
}

describe('a platform with several addresses', () => {
  it.each([
    ['first', [NEAR, REFUSED]],
    ['last', [REFUSED, OTHER, NEAR]],
  ])('is reached if connecting takes a second and another address refuses: %s', async (_, addresses) => {
    platform.always(answers(200, SESSION));
    await using slow = await startSlowListener(Number(new URL(platform.origin).port));
    await slow.slowDown();
    expect(await codeOf(createSession(clientBy(slow.port, ...addresses)))).toBe('OK');
  });

  it('is reached at the second address if the first one does not answer', async () => {
    platform.always(answers(200, SESSION));
    const { port } = new URL(platform.origin);
    await using slow = await startSlowListener(Number(port));
    let connections = 0;
    const near = createServer((socket) => {
      connections += 1;
      socket.pipe(connect(Number(port), '127.0.0.1')).pipe(socket);
    });
    await once(near.listen(slow.port, OTHER.address), 'listening');
    await slow.slowDown();
    expect(await codeOf(createSession(clientBy(slow.port, NEAR, OTHER)))).toBe('OK');
    expect(connections).toBe(1);
    near.close();
  });

  it('reports the first failure if no address answers', async () => {
    expect(await codeOf(createSession(clientBy(1, REFUSED, NEAR)))).toBe('PLATFORM_UNAVAILABLE');
  });
});
