import { networkInterfaces } from 'node:os';

import { describe, expect, it } from '@jest/globals';

import { digest, type Received, startSandboxUnderTest } from './sandbox-under-test.ts';

const expectProblem = (received: Received, status: number, pointers?: string[]) => {
  expect([received.status, received.headers['content-type']]).toEqual([status, 'application/problem+json']);
  expect(received.json).toMatchObject({ type: 'about:blank', title: expect.any(String), status });
  if (pointers) expect(received.json.violations.map((violation: any) => violation.pointer)).toEqual(pointers);
};

describe('the control API', () => {
  it('says that the sandbox is healthy', async () => {
    await using sandbox = await startSandboxUnderTest();
    const { status, json } = await sandbox.control('GET', 'health');
    expect([status, json]).toEqual([200, { status: 'ok' }]);
  });

  it('adds players, one or a list, and shows them', async () => {
    await using sandbox = await startSandboxUnderTest();
    expect(
      (await sandbox.control('POST', 'players', { userId: 'ada', nick: 'Ace', currency: 'EUR' })).status,
    ).toBe(201);
    expect(
      (await sandbox.control('POST', 'players', [{ userId: 'bob' }, { userId: 'u/1' }])).json,
    ).toHaveLength(2);
    const { json } = await sandbox.control('GET', 'players');
    expect(json.count).toBe(3);
    expect(json.players[0]).toMatchObject({
      clientId: 'sandbox',
      userId: 'ada',
      nick: 'Ace',
      currency: 'EUR',
    });
    expect((await sandbox.control('GET', 'players/u%2F1')).json).toMatchObject({ userId: 'u/1' });
    expectProblem(await sandbox.control('GET', 'players/eve'), 404);
  });

  it('answers the next requests with an error, and then no more', async () => {
    await using sandbox = await startSandboxUnderTest();
    const rule = { kind: 'status', status: 503, operation: 'session', count: 2 };
    const { status, json } = await sandbox.control('POST', 'faults', rule);
    expect([status, json]).toEqual([
      201,
      { id: 1, operation: 'session', count: 2, remaining: 2, fault: { kind: 'status', status: 503 } },
    ]);
    expect((await sandbox.openGame({ player: { id: 'ada' } }, 'sandboxadaOpenGame')).status).toBe(200);
    const failed = await sandbox.session('ada');
    expect([failed.status, failed.headers['content-type']]).toEqual([503, 'application/vnd.api+json']);
    expect(failed.json).toEqual({
      errors: [{ status: 503, title: 'Service Unavailable', detail: 'Service Unavailable' }],
    });
    expect((await sandbox.session('ada')).status).toBe(503);
    expect((await sandbox.session('ada')).status).toBe(200);
    expect((await sandbox.control('GET', 'faults')).json).toEqual([]);
  });

  it('removes faults, one or all', async () => {
    await using sandbox = await startSandboxUnderTest();
    for (const status of [500, 503, 504]) await sandbox.control('POST', 'faults', { kind: 'status', status });
    expect((await sandbox.control('DELETE', 'faults/1')).status).toBe(204);
    expect((await sandbox.session('ada')).status).toBe(503);
    expect((await sandbox.control('DELETE', 'faults')).status).toBe(204);
    expect((await sandbox.session('ada')).status).toBe(200);
    expectProblem(await sandbox.control('DELETE', 'faults/1'), 404);
  });

  it('delays answers, after the request has been read and before it is processed', async () => {
    await using sandbox = await startSandboxUnderTest({ SANDBOX_LATENCY_MS: '1' });
    expect((await sandbox.control('GET', 'latency')).json).toEqual({ fixedMs: 1, spreadMs: 0 });
    expect((await sandbox.control('PUT', 'latency', { fixedMs: 100 })).json).toEqual({
      fixedMs: 100,
      spreadMs: 0,
    });
    const startedAt = performance.now();
    expect((await sandbox.session('ada')).status).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(99);
  });

  it('processes a request whose sender did not wait for the answer, and counts that', async () => {
    await using sandbox = await startSandboxUnderTest({ SANDBOX_LATENCY_MS: '2000' });
    const counted = async (name: string) => {
      let counters: Record<string, unknown>;
      do counters = (await sandbox.control('GET', 'counters')).json['open-game'];
      while (counters[name] !== 1);
      return counters;
    };
    const sender = new AbortController();
    const impatient = fetch(`${sandbox.url}/apiweb/v3/open-game?client=sandbox`, {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.api+json', sign: digest('sandboxadaOpenGame') },
      body: JSON.stringify({ data: { type: 'OpenGame', attributes: { player: { id: 'ada' } } } }),
      signal: sender.signal,
    });
    await counted('received');
    sender.abort();
    await expect(impatient).rejects.toThrow();
    expect(await counted('unanswered')).toMatchObject({ received: 1, processed: 0 });
    expect(await counted('processed')).toEqual({
      received: 1,
      processed: 1,
      answered: {},
      unanswered: 1,
      faults: {},
    });
  });

  it('counts what was received, processed and answered', async () => {
    await using sandbox = await startSandboxUnderTest();
    await sandbox.control('POST', 'faults', { kind: 'status', status: 429, retryAfter: '3', count: 1 });
    const limited = await sandbox.session('ada');
    expect([limited.status, limited.headers['retry-after']]).toEqual([429, '3']);
    await sandbox.session('ada');
    await sandbox.session('ada', { authType: 'x' });
    const { json } = await sandbox.control('GET', 'counters');
    expect(json.session).toEqual({
      received: 3,
      processed: 1,
      answered: { '200': 1, '422': 1, '429': 1 },
      unanswered: 0,
      faults: { status: 1 },
    });
    expect(json.rake.received).toBe(0);
  });

  it('shows the last requests, the newest first, without their signatures', async () => {
    await using sandbox = await startSandboxUnderTest();
    for (let index = 0; index < 120; index++) await sandbox.session(`u-${index}`, { lang: 'de' });
    const { json, text } = await sandbox.control('GET', 'requests');
    expect(json).toHaveLength(100);
    expect(json[0]).toMatchObject({
      operation: 'session',
      method: 'POST',
      url: '/api/web/v2/app/users/u-119/session?clientId=sandbox',
      headers: { sign: '[redacted]', 'content-type': 'application/x-www-form-urlencoded' },
      body: 'userId=u-119&lang=de',
      status: 200,
      faults: [],
    });
    expect(text).not.toMatch(/[0-9a-f]{64}/);
  });

  it('resets the sandbox', async () => {
    await using sandbox = await startSandboxUnderTest({ SANDBOX_LATENCY_MS: '1' });
    await sandbox.session('ada', { nick: 'Ace' });
    await sandbox.control('POST', 'faults', { kind: 'status', status: 500 });
    await sandbox.control('PUT', 'latency', { fixedMs: 50 });
    expect((await sandbox.control('POST', 'reset')).status).toBe(204);
    expect((await sandbox.control('GET', 'players')).json).toEqual({ count: 0, players: [] });
    expect((await sandbox.control('GET', 'faults')).json).toEqual([]);
    expect((await sandbox.control('GET', 'latency')).json).toEqual({ fixedMs: 1, spreadMs: 0 });
    expect((await sandbox.control('GET', 'requests')).json).toEqual([]);
    expect((await sandbox.session('bob', { nick: 'Ace' })).status).toBe(200);
  });

  it('answers wrong requests with problem details', async () => {
    await using sandbox = await startSandboxUnderTest();
    const post = (path: string, body: unknown) => sandbox.control('POST', path, body);
    expectProblem(await post('players', '{'), 400);
    expectProblem(await post('players', '5'), 422, ['']);
    expectProblem(await post('players', { nick: 5, colour: 'red' }), 422, ['/colour', '/userId', '/nick']);
    expectProblem(await post('players', { userId: 'ada', clientId: 'x' }), 422, ['/clientId']);
    await post('players', { userId: 'ada', nick: 'Ace' });
    expectProblem(await post('players', [{ userId: 'bob' }, { userId: 'eve', nick: 'ace' }]), 409, [
      '/1/nick',
    ]);
    expectProblem(await post('faults', { kind: 'gremlins' }), 422, ['/kind']);
    expectProblem(await post('faults', null), 422, ['/kind']);
    expectProblem(await post('faults', { kind: 'status', status: 200 }), 422, ['/status']);
    expectProblem(await post('faults', { kind: 'status', status: 500, operation: 'x' }), 422, ['/operation']);
    expectProblem(await post('faults', { kind: 'status', status: 500, share: 2, count: 0 }), 422, [
      '/count',
      '/share',
    ]);
    expectProblem(await sandbox.control('PUT', 'latency', { fixedMs: -1 }), 422, ['/fixedMs']);
    expectProblem(await sandbox.control('GET', 'nothing'), 404);
    const form = {
      method: 'POST',
      path: '/sandbox/players',
      headers: { 'content-type': 'text/plain' },
      body: '{}',
    };
    expectProblem(await sandbox.send(form), 415);
  });

  it('leaves every other address to the platform', async () => {
    await using sandbox = await startSandboxUnderTest();
    for (const path of [
      '/index.html',
      '/overview',
      '/api/web/v2/app/users',
      '/apiweb/v3/open-game',
      '/%ff',
    ]) {
      const { status, headers, json } = await sandbox.send({ method: 'GET', path });
      expect(headers['content-type']).toBe('application/vnd.api+json');
      expect(json.errors).toEqual([expect.objectContaining({ status })]);
      expect(status).toBe(path === '/%ff' ? 400 : 404);
    }
  });
});

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
