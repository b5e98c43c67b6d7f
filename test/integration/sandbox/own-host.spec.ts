import { networkInterfaces } from 'node:os';

import { describe, expect, it } from '@jest/globals';

import { startSandboxUnderTest } from './sandbox-under-test.ts';

const RESET = { method: 'POST', path: '/sandbox/reset' };

/** Whether a request with these headers may control a sandbox with these variables. */
async function answerTo(headers: Record<string, string>, variables: Record<string, string> = {}) {
  await using sandbox = await startSandboxUnderTest(variables);
  const { port } = new URL(sandbox.url);
  const received = await sandbox.send({
    ...RESET,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', port)]),
    ),
  });
  if (received.status === 204) return received.status;
  expect(received.headers['content-type']).toBe('application/problem+json');
  expect(received.json).toMatchObject({
    type: 'about:blank',
    status: received.status,
    detail: expect.any(String),
  });
  return received.status;
}

describe('the control API', () => {
  it.each(['localhost:PORT', 'LOCALHOST', '127.0.0.1:PORT', '127.0.0.2:80', '[::1]:PORT'])(
    'takes requests for %s, and from its pages',
    async (host) => {
      expect(await answerTo({ host, origin: `http://${host}` })).toBe(204);
    },
  );

  it.each([
    'evil.example',
    'evil.example:PORT',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.1.2.3:PORT',
    'evil@localhost',
    'localhost/evil',
    'localhost,evil.example',
  ])('refuses requests for the host %s, which leads here by chance or by intent', async (host) => {
    expect(await answerTo({ host })).toBe(421);
  });

  it.each(['https://evil.example', 'http://localhost.evil.example:PORT', 'null', 'file://', ''])(
    'refuses requests from the page of %j',
    async (origin) => {
      expect(await answerTo({ host: 'localhost:PORT', origin })).toBe(403);
    },
  );

  it('takes requests for the host of SANDBOX_PUBLIC_URL, and from its pages', async () => {
    const variables = { SANDBOX_PUBLIC_URL: 'https://Sandbox.example' };
    expect(await answerTo({ host: 'sandbox.example', origin: 'https://sandbox.example' }, variables)).toBe(
      204,
    );
    expect(await answerTo({ host: 'sandbox.example' })).toBe(421);
  });

  it('takes requests for the address of this machine by which they come', async () => {
    await using sandbox = await startSandboxUnderTest({ SANDBOX_HOST: '0.0.0.0' });
    const { port } = new URL(sandbox.url);
    const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    for (const { address, family } of addresses.filter((each) => each.family === 'IPv4')) {
      const { status } = await fetch(`http://${address}:${port}/sandbox/health`);
      expect([family, address, status]).toEqual(['IPv4', address, 200]);
    }
    expect((await sandbox.send({ ...RESET, headers: { host: '0.0.0.0' } })).status).toBe(204);
  });

  it('is apart from the platform, which takes requests for any host', async () => {
    await using sandbox = await startSandboxUnderTest();
    const headers = { host: 'platform.example', origin: 'https://evil.example' };
    expect((await sandbox.session('ada', {}, headers)).status).toBe(200);
  });
});
