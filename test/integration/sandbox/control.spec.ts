import { networkInterfaces } from 'node:os';

import { describe, expect, it } from '@jest/globals';

import { digest, type Received } from '../../support/sandbox-client.ts';
import { sharedSandbox, startSandboxUnderTest } from './sandbox-under-test.ts';

const expectProblem = (received: Received, status: number, pointers?: string[]) => {
  expect([received.status, received.headers['content-type']]).toEqual([status, 'application/problem+json']);
  expect(received.json).toMatchObject({ type: 'about:blank', title: expect.any(String), status });
  expect(received.json.detail).toEqual(expect.any(String));
  if (pointers) expect(received.json.violations.map((violation: any) => violation.pointer)).toEqual(pointers);
};

describe('the control API', () => {
  const sandbox = sharedSandbox({ SANDBOX_LATENCY_MS: '1' });
  const post = (path: string, body: unknown) => sandbox.control('POST', path, body);

  it('adds players, one or a list, and shows them', async () => {
    expect((await post('players', { userId: 'ada', nick: 'Ace', currency: 'EUR' })).status).toBe(201);
    expect((await post('players', [{ userId: 'bob' }, { userId: 'u/1' }])).json).toHaveLength(2);
    const { count, players } = await sandbox.shown('players');
    expect(count).toBe(3);
    expect(players[0]).toMatchObject({ clientId: 'sandbox', userId: 'ada', nick: 'Ace', currency: 'EUR' });
    expect(await sandbox.shown('players/u%2F1')).toMatchObject({ userId: 'u/1' });
    expectProblem(await sandbox.control('GET', 'players/eve'), 404);
  });

  it('answers the next requests with an error, and then no more', async () => {
    const rule = { kind: 'status', status: 503, operation: 'session', count: 2 };
    const { status, json } = await post('faults', rule);
    const { kind, status: failed, ...which } = rule;
    const standing = { id: expect.any(Number), ...which, remaining: 2, fault: { kind, status: failed } };
    expect([status, json]).toEqual([201, standing]);
    expect((await sandbox.openGame({ player: { id: 'ada' } })).status).toBe(200);
    for (const expected of [503, 503, 200]) expect((await sandbox.session('ada')).status).toBe(expected);
    expect(await sandbox.shown('faults')).toEqual([]);
  });

  it('removes faults, one or all', async () => {
    for (const status of [500, 503, 504]) await sandbox.fault({ kind: 'status', status });
    const [{ id }] = await sandbox.shown('faults');
    for (const [path, status] of [
      [`faults/${id}`, 503],
      ['faults', 200],
    ] as const) {
      expect((await sandbox.control('DELETE', path)).status).toBe(204);
      expect((await sandbox.session('ada')).status).toBe(status);
    }
    expectProblem(await sandbox.control('DELETE', `faults/${id}`), 404);
  });

  it('delays answers', async () => {
    expect(await sandbox.shown('latency')).toEqual({ fixedMs: 1, spreadMs: 0 });
    const changed = await sandbox.control('PUT', 'latency', { fixedMs: 100 });
    expect(changed.json).toEqual({ fixedMs: 100, spreadMs: 0 });
    const startedAt = performance.now();
    expect((await sandbox.session('ada')).status).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(99);
  });

  it('processes a request whose sender did not wait for the answer, and counts that', async () => {
    await sandbox.control('PUT', 'latency', { fixedMs: 2_000 });
    const counted = async (name: string) => {
      let counters: Record<string, unknown>;
      do counters = (await sandbox.shown('counters'))['open-game'];
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
    const all = { received: 1, processed: 1, answered: {}, unanswered: 1, faults: {} };
    expect(await counted('processed')).toEqual(all);
  });

  it('shows the last requests, the newest first, without their signatures', async () => {
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
      answer: { contentType: 'application/vnd.api+json' },
    });
    expect(json[0].answer.body).toContain('/lobby?auth=[redacted]');
    expect(text).not.toMatch(/[0-9a-f]{64}/);
  });

  it('resets the sandbox', async () => {
    const session = await sandbox.session('ada', { nick: 'Ace' });
    await sandbox.fault({ kind: 'status', status: 500 });
    await sandbox.control('PUT', 'latency', { fixedMs: 50 });
    expect((await sandbox.control('POST', 'reset')).status).toBe(204);
    expect(await sandbox.shown('players')).toEqual({ count: 0, players: [] });
    expect(await sandbox.shown('faults')).toEqual([]);
    expect(await sandbox.shown('latency')).toEqual({ fixedMs: 1, spreadMs: 0 });
    expect(await sandbox.shown('requests')).toEqual([]);
    expect((await sandbox.get(`/lobby?auth=${session.json.data.id}`)).status).toBe(404);
    expect((await sandbox.session('bob', { nick: 'Ace' })).status).toBe(200);
  });

  it('no longer counts a request that was in flight when it was reset', async () => {
    await sandbox.control('PUT', 'latency', { fixedMs: 200 });
    const session = sandbox.session('ada');
    while ((await sandbox.received('session')) === 0);
    await sandbox.control('POST', 'reset');
    expect((await session).status).toBe(200);
    const none = { received: 0, processed: 0, answered: {}, unanswered: 0, faults: {} };
    expect((await sandbox.shown('counters')).session).toEqual(none);
  });

  it.each([
    ['players', '{', 400, undefined],
    ['players', '5', 422, ['']],
    ['players', { nick: 5, colour: 'red' }, 422, ['/colour', '/userId', '/nick']],
    ['players', { userId: 'ada', clientId: 'x' }, 422, ['/clientId']],
    ['players', ['bob', 'eve'].map((userId) => ({ userId, nick: 'Ace' })), 409, ['/1/nick']],
    ['faults', null, 422, ['/kind']],
    ['faults', { kind: 'status', status: 500, share: 2, count: 0 }, 422, ['/count', '/share']],
    ['nothing', {}, 404, undefined],
  ])('answers a wrong request to %s with problem details: %j', async (path, body, status, pointers) => {
    expectProblem(await post(path, body), status, pointers);
  });

  it('refuses a wrong latency, and the media type of a form', async () => {
    expectProblem(await sandbox.control('PUT', 'latency', { fixedMs: -1 }), 422, ['/fixedMs']);
    const form = { method: 'POST', path: '/sandbox/players', headers: { 'content-type': 'text/plain' } };
    expectProblem(await sandbox.send({ ...form, body: '{}' }), 415);
  });

  it.each([
    ['/index.html', 404],
    ['/api/web/v2/app/users', 404],
    ['/apiweb/v3/open-game', 404],
    ['/%ff', 400],
  ])('leaves %s to the platform', async (path, status) => {
    const { headers, json } = await sandbox.get(path);
    expect(headers['content-type']).toBe('application/vnd.api+json');
    expect(json.errors).toEqual([expect.objectContaining({ status })]);
  });
});

describe('a sandbox at a public address', () => {
  const sandbox = sharedSandbox({ SANDBOX_PUBLIC_URL: 'https://Sandbox.example' });
  const statusFor = async (host: string, origin: string) => {
    const { port } = new URL(sandbox.url);
    const headers = { host: host.replace('PORT', port), origin: origin.replace('PORT', port) };
    const received = await sandbox.send({ method: 'POST', path: '/sandbox/reset', headers });
    if (received.status !== 204) expectProblem(received, received.status);
    return received.status;
  };

  it.each([
    [204, 'localhost:PORT LOCALHOST 127.0.0.1:PORT 127.0.0.2:80 [::1]:PORT sandbox.example'],
    [421, 'evil.example:PORT localhost.evil.example 127.0.0.1.evil.example 10.1.2.3:PORT'],
    [421, 'evil@localhost localhost/evil localhost,evil.example'],
  ])('answers %d to requests for %s', async (status, hosts) => {
    for (const host of hosts.split(' '))
      expect([host, await statusFor(host, `http://${host}`)]).toEqual([host, status]);
  });

  it.each(['https://evil.example', 'http://localhost.evil.example:PORT', 'null', 'file://', ''])(
    'refuses requests from the page of %j',
    async (origin) => expect(await statusFor('localhost:PORT', origin)).toBe(403),
  );

  it('accepts requests whose host is the local address of their connection', async () => {
    await using open = await startSandboxUnderTest({ SANDBOX_HOST: '0.0.0.0' });
    const { port } = new URL(open.url);
    const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    for (const { address } of addresses.filter(({ family }) => family === 'IPv4')) {
      const { status } = await fetch(`http://${address}:${port}/sandbox/health`);
      expect([address, status]).toEqual([address, 200]);
    }
    const reset = { method: 'POST', path: '/sandbox/reset' };
    expect((await open.send({ ...reset, headers: { host: '0.0.0.0' } })).status).toBe(204);
    expect((await open.send({ ...reset, headers: { host: 'sandbox.example' } })).status).toBe(421);
  });

  it('is protected separately from the platform, which accepts requests for any host', async () => {
    const headers = { host: 'platform.example', origin: 'https://evil.example' };
    expect((await sandbox.session('ada', {}, headers)).status).toBe(200);
  });
});
