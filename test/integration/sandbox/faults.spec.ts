import { gunzipSync } from 'node:zlib';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { type SandboxUnderTest, startSandboxUnderTest } from './sandbox-under-test.ts';

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

const DAY = { dateFrom: '2024-03-24 00:00:00', dateTo: '2024-03-25 00:00:00' };

describe('faults of reports', () => {
  let sandbox: SandboxUnderTest;

  beforeAll(async () => {
    sandbox = await startSandboxUnderTest({ SANDBOX_REPORT_RECORDS: '25' });
  });

  afterAll(async () => sandbox[Symbol.asyncDispose]());

  beforeEach(async () => {
    await sandbox.control('POST', 'reset');
  });

  const play = async (fault: object) => {
    const { status, text } = await sandbox.control('POST', 'faults', fault);
    expect([status, text]).toEqual([201, expect.any(String)]);
  };
  const read = async (page: number, perPage = 10) =>
    (await sandbox.adHoc(DAY, { page: String(page), 'per-page': String(perPage) })).json;
  const ids = (document: any) => document.data.map((record: any) => record.id);

  it('clamp the size of pages', async () => {
    await play({ kind: 'clamped-per-page', perPage: 4 });
    const document = await read(2);
    expect(document.meta).toEqual({ 'total-count': 25, 'page-count': 7, 'current-page': 2, 'per-page': 4 });
    expect(document.data).toHaveLength(4);
  });

  it('repeat a page', async () => {
    const first = await read(1);
    await play({ kind: 'repeated-page', operation: 'ad-hoc-report', count: 1 });
    const repeated = await read(2);
    expect(repeated.meta['current-page']).toBe(2);
    expect(ids(repeated)).toEqual(ids(first));
    expect(ids(await read(2))).not.toEqual(ids(first));
  });

  it('serve another page', async () => {
    const first = await read(1);
    await play({ kind: 'other-page' });
    expect(await read(2)).toMatchObject({ data: first.data, meta: first.meta });
  });

  it('let a report have no end', async () => {
    const first = await read(1);
    await play({ kind: 'endless-report' });
    const far = await read(1000);
    expect(far.meta).toMatchObject({ 'page-count': 1001, 'current-page': 1000 });
    expect(ids(far)).toEqual(ids(first));
  });

  it('let the total change while pages are read', async () => {
    await play({ kind: 'changing-total', by: 10 });
    const totals = [await read(1), await read(2), await read(3)].map(({ meta }) => [
      meta['total-count'],
      meta['page-count'],
    ]);
    expect(totals).toEqual([
      [25, 3],
      [35, 4],
      [45, 5],
    ]);
  });

  it('make every amount too large for a double', async () => {
    await play({ kind: 'huge-amounts' });
    const { text } = await sandbox.rake(DAY, { 'per-page': '100' });
    const values = [...text.matchAll(/"value":(\d+)/g)].map(([, digits]) => digits as string);
    expect(values).toHaveLength(13);
    for (const digits of values) expect(BigInt(digits)).toBeGreaterThan(2n ** 53n);
    const adHoc = await sandbox.adHoc(DAY);
    expect(adHoc.text).toMatch(/"money-type":[12],/);
    expect(adHoc.text).toMatch(/"cash-result":-\d{17,}/);
  });

  it('make an amount of every record something else than an integer', async () => {
    await play({ kind: 'odd-amounts' });
    const { json } = await sandbox.rake(DAY, { 'per-page': '4' });
    const values = json.data.map((record: any) => record.attributes.value);
    expect(values).toEqual([288.31, '28831', null, 288.31]);
    const [{ attributes }] = (await sandbox.adHoc(DAY)).json.data;
    const isOdd = (value: unknown) => typeof value === 'number' && !Number.isInteger(value);
    expect(Object.values(attributes).filter(isOdd)).toEqual([288.31]);
  });

  it('make a member of every record odd, in turn or always the same one', async () => {
    await play({ kind: 'odd-records', count: 1 });
    const records = (await sandbox.rake(DAY, { 'per-page': '3' })).json.data;
    expect(records.map(({ attributes }: any) => attributes)).toEqual([
      { 'user-id': 'player-00000001', currency: 'EUR' },
      { 'user-id': 4711, currency: 'GBP', value: expect.any(Number) },
      { 'user-id': 'player-00000002', currency: '', value: expect.any(Number) },
    ]);
    await play({ kind: 'odd-records', what: 'amount' });
    const adHoc = (await sandbox.adHoc(DAY)).json.data;
    expect(adHoc.filter(({ attributes }: any) => 'win' in attributes)).toEqual([]);
  });

  it('let the amounts change with time', async () => {
    const pageOf = async () => (await read(1)).data.map((record: any) => record.attributes.win);
    const before = await pageOf();
    await play({ kind: 'changing-figures', everyMs: 1 });
    const first = await pageOf();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const second = await pageOf();
    expect(first).not.toEqual(before);
    expect(second).not.toEqual(first);
    expect(second.length).toBe(before.length);
  });

  it('do not touch other operations', async () => {
    await play({ kind: 'huge-amounts', count: 1 });
    expect((await sandbox.session('ada')).status).toBe(200);
    expect((await sandbox.control('GET', 'faults')).json).toMatchObject([{ remaining: 1 }]);
  });
});
