import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startSandboxUnderTest, type SandboxUnderTest } from './sandbox-under-test.ts';

describe('faults on request', () => {
  let sandbox: SandboxUnderTest;
  beforeAll(async () => {
    sandbox = await startSandboxUnderTest();
  });
  afterAll(async () => sandbox[Symbol.asyncDispose]());
  beforeEach(async () => {
    await sandbox.control('POST', 'reset');
  });

  const play = async (fault: object) => {
    const { status, text } = await sandbox.control('POST', 'faults', fault);
    expect([status, text]).toEqual([201, expect.any(String)]);
  };
  const counters = async (operation = 'session') =>
    (await sandbox.control('GET', 'counters')).json[operation];
  const codeOf = (promise: Promise<unknown>) =>
    promise.then(() => 'answered').catch((error) => error.code as string);

  it('reset a connection before the request is read', async () => {
    await play({ kind: 'reset-before', count: 1 });
    expect(await codeOf(sandbox.session('ada'))).toBe('ECONNRESET');
    expect(await counters()).toMatchObject({
      received: 1,
      processed: 0,
      unanswered: 1,
      faults: { 'reset-before': 1 },
    });
    expect((await sandbox.session('ada')).status).toBe(200);
  });

  it('reset a connection after the request is processed', async () => {
    await play({ kind: 'reset-after', count: 1 });
    expect(await codeOf(sandbox.session('ada', { nick: 'Ace' }))).toBe('ECONNRESET');
    expect(await counters()).toMatchObject({ received: 1, processed: 1, answered: {}, unanswered: 1 });
    expect((await sandbox.control('GET', 'players/ada')).json).toMatchObject({ nick: 'Ace' });
  });

  it('cut an answer short', async () => {
    await play({ kind: 'truncated', bodyShare: 0.9, count: 1 });
    expect(await codeOf(sandbox.session('ada'))).toBe('ECONNRESET');
    expect(await counters()).toMatchObject({ processed: 1, answered: {}, unanswered: 1 });
  });

  it('send an answer in small pieces', async () => {
    await play({ kind: 'drip', bytes: 100, intervalMs: 50, count: 1 });
    const startedAt = performance.now();
    const { json, bytes } = await sandbox.session('ada');
    expect(json.data.type).toBe('session');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(50 * Math.floor(bytes.length / 100) - 5);
    expect(await counters()).toMatchObject({ processed: 1, answered: { '200': 1 } });
  });

  it('answer with a page of a proxy, processing nothing', async () => {
    await play({ kind: 'html', count: 1 });
    const { status, headers, text } = await sandbox.session('ada');
    expect([status, headers['content-type']]).toEqual([502, 'text/html']);
    expect(text).toContain('<h1>502 Bad Gateway</h1>');
    expect(await counters()).toMatchObject({ processed: 0, answered: { '502': 1 } });
    await play({ kind: 'html', status: 200, count: 1 });
    expect((await sandbox.session('ada')).status).toBe(200);
  });

  it('redirect', async () => {
    await play({ kind: 'redirect', status: 307, location: 'https://login.example/', count: 1 });
    const { status, headers } = await sandbox.session('ada');
    expect([status, headers.location]).toEqual([307, 'https://login.example/']);
    expect(await counters()).toMatchObject({ processed: 0 });
  });

  it('answer with a wrong document, or with none', async () => {
    await play({ kind: 'wrong-document', count: 1 });
    expect((await sandbox.session('ada')).json.data.type).toBe('something-else');
    await play({ kind: 'wrong-document', document: null, count: 1 });
    expect((await sandbox.session('ada')).text).toBe('null');
    await play({ kind: 'empty-body', count: 1 });
    const { status, text } = await sandbox.session('ada');
    expect([status, text]).toEqual([200, '']);
    expect(await counters()).toMatchObject({ processed: 3 });
  });

  it('compress an answer without being asked to', async () => {
    await play({ kind: 'gzip', count: 1 });
    const { headers, bytes } = await sandbox.session('ada');
    expect(headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(gunzipSync(bytes).toString()).data.type).toBe('session');
  });

  it('limit the rate, with the time to wait', async () => {
    const date = 'Wed, 21 Oct 2026 07:28:00 GMT';
    await play({ kind: 'status', status: 429, retryAfter: date, count: 1 });
    const { status, headers, json } = await sandbox.session('ada');
    expect([status, headers['retry-after']]).toEqual([429, date]);
    expect(json.errors).toEqual([{ status: 429, title: 'Too Many Requests', detail: 'Too Many Requests' }]);
  });

  it('refuse with a pointer alone, or without a body', async () => {
    const pointer = '/data/attributes/currency';
    await play({ kind: 'status', status: 422, pointer, count: 1 });
    const { status, json } = await sandbox.session('ada');
    expect([status, json]).toEqual([422, { errors: [{ source: { pointer } }] }]);
    await play({ kind: 'status', status: 400, empty: true, count: 1 });
    const empty = await sandbox.session('ada');
    expect([empty.status, empty.text]).toEqual([400, '']);
  });

  it.each([
    ['ada', undefined, 'platform-ada'],
    ['42', 'integer', 42],
    ['ada', 'integer', 4711],
    ['Ada', 'case', 'ADA'],
    ['ADA', 'case', 'ada'],
  ])('name the user %s of a session otherwise (%s)', async (userId, as, named) => {
    await play({ kind: 'other-user-id', ...(as && { as }), count: 1 });
    expect((await sandbox.session(userId)).json.data.attributes['user-id']).toBe(named);
    expect((await sandbox.session(userId)).json.data.attributes['user-id']).toBe(userId);
  });

  it('spread a latency, together with another fault', async () => {
    await play({ kind: 'latency', fixedMs: 100, spreadMs: 50, count: 1 });
    await play({ kind: 'status', status: 500, count: 1 });
    const startedAt = performance.now();
    expect((await sandbox.session('ada')).status).toBe(500);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(99);
    expect(await counters()).toMatchObject({ faults: { latency: 1, status: 1 } });
  });

  it('are for a share of the requests, the same ones for the same seed', async () => {
    const outcomes = async () => {
      await using seeded = await startSandboxUnderTest({ SANDBOX_SEED: '7' });
      await seeded.control('POST', 'faults', { kind: 'status', status: 503, share: 0.3 });
      const statuses: number[] = [];
      for (let index = 0; index < 100; index++) statuses.push((await seeded.session('ada')).status);
      return statuses;
    };
    const statuses = await outcomes();
    const failed = statuses.filter((status) => status === 503).length;
    expect(failed).toBeGreaterThan(15);
    expect(failed).toBeLessThan(45);
    expect(await outcomes()).toEqual(statuses);
  });

  it('also apply to requests that are refused', async () => {
    await play({ kind: 'truncated', count: 1 });
    expect(await codeOf(sandbox.session('ada', {}, { sign: 'wrong' }))).toBe('ECONNRESET');
    expect(await counters()).toMatchObject({ processed: 0 });
  });

  it.each([
    [{ kind: 'latency' }, '/fixedMs'],
    [{ kind: 'redirect' }, '/location'],
    [{ kind: 'redirect', location: 'https://a.example/\r\nx: y' }, '/location'],
    [{ kind: 'status', status: 429, retryAfter: 'ü' }, '/retryAfter'],
    [{ kind: 'truncated', bodyShare: 1 }, '/bodyShare'],
    [{ kind: 'drip', bytes: 0 }, '/bytes'],
    [{ kind: 'clamped-per-page', perPage: 0 }, '/perPage'],
    [{ kind: 'changing-total', by: 0.5 }, '/by'],
    [{ kind: 'gzip', level: 9 }, '/level'],
    [{ kind: 'huge-amounts', operation: 'session' }, '/operation'],
    [{ kind: 'other-user-id', operation: 'rake' }, '/operation'],
    [{ kind: 'other-user-id', as: 'name' }, '/as'],
    [{ kind: 'toString' }, '/kind'],
  ])('are refused if they are not described well: %j', async (body, pointer) => {
    const { status, json } = await sandbox.control('POST', 'faults', body);
    expect(status).toBe(422);
    expect(json.violations.map((violation: any) => violation.pointer)).toContain(pointer);
    expect((await sandbox.control('GET', 'faults')).json).toEqual([]);
  });
});
