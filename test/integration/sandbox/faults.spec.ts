import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';

import { describe, expect, it } from '@jest/globals';

import { sharedSandbox, startSandboxUnderTest } from './sandbox-under-test.ts';

describe('faults on request', () => {
  const sandbox = sharedSandbox();
  const counters = async () => (await sandbox.shown('counters')).session;
  const codeOf = (promise: Promise<unknown>) =>
    promise.then(() => 'answered').catch((error) => error.code as string);

  it.each([
    ['reset-before', {}, 0],
    ['reset-after', {}, 1],
    ['truncated', { bodyShare: 0.9 }, 1],
  ])('end a connection: %s', async (kind, members, processed) => {
    await sandbox.fault({ kind, ...members, count: 1 });
    expect(await codeOf(sandbox.session('ada', { nick: 'Ace' }))).toBe('ECONNRESET');
    const faults = { [kind]: 1 };
    expect(await counters()).toEqual({ received: 1, processed, answered: {}, unanswered: 1, faults });
    expect((await sandbox.control('GET', 'players/ada')).status).toBe(processed === 1 ? 200 : 404);
    expect((await sandbox.session('ada')).status).toBe(200);
  });

  it('truncate the answer to a refused request, too', async () => {
    await sandbox.fault({ kind: 'truncated' });
    expect(await codeOf(sandbox.session('ada', {}, { sign: 'wrong' }))).toBe('ECONNRESET');
    expect(await counters()).toMatchObject({ processed: 0, answered: {}, unanswered: 1 });
  });

  it('send an answer in small pieces', async () => {
    await sandbox.fault({ kind: 'drip', bytes: 100, intervalMs: 50, count: 1 });
    const startedAt = performance.now();
    const { json, bytes } = await sandbox.session('ada');
    expect(json.data.type).toBe('session');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(50 * Math.floor(bytes.length / 100) - 5);
    expect(await counters()).toMatchObject({ processed: 1, answered: { '200': 1 } });
  });

  const date = 'Wed, 21 Oct 2026 07:28:00 GMT';
  const source = { pointer: '/data/attributes/currency' };
  const titled = (status: number, title: string) => ({ errors: [{ status, title, detail: title }] });
  it.each([
    [{ kind: 'html' }, 502, { 'content-type': 'text/html' }, /<h1>502 Bad Gateway<\/h1>/],
    [{ kind: 'html', status: 200 }, 200, {}, /<h1>200 OK/],
    [{ kind: 'redirect', status: 307, location: 'https://a.eu/' }, 307, { location: 'https://a.eu/' }, /^/],
    [
      { kind: 'status', status: 429, retryAfter: date },
      429,
      { 'retry-after': date },
      titled(429, 'Too Many Requests'),
    ],
    [{ kind: 'status', status: 422, ...source }, 422, {}, { errors: [{ source }] }],
    [{ kind: 'status', status: 400, empty: true }, 400, {}, /^$/],
    [{ kind: 'wrong-document' }, 200, {}, { data: { type: 'something-else', id: '1', attributes: {} } }, 1],
    [{ kind: 'wrong-document', document: null }, 200, {}, /^null$/, 1],
    [{ kind: 'empty-body' }, 200, {}, /^$/, 1],
  ])('answer for the platform: %j', async (fault, status, headers, body, processed = 0) => {
    await sandbox.fault({ ...fault, count: 1 });
    const received = await sandbox.session('ada');
    expect(received).toMatchObject({ status, headers });
    if (body instanceof RegExp) expect(received.text).toMatch(body);
    else expect(received.json).toEqual(body);
    expect(await counters()).toMatchObject({ processed, answered: { [status]: 1 } });
  });

  it('compress an answer that was requested without compression', async () => {
    await sandbox.fault({ kind: 'gzip', count: 1 });
    const { headers, bytes } = await sandbox.session('ada');
    expect(headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(gunzipSync(bytes).toString()).data.type).toBe('session');
  });

  it.each([
    ['42', 'integer', 42],
    ['ada', 'integer', 4711],
    ['Ada', 'case', 'ADA'],
    ['ADA', 'case', 'ada'],
  ])('change the id of the user %s of a session (%s)', async (userId, as, named) => {
    await sandbox.fault({ kind: 'other-user-id', as, count: 1 });
    expect((await sandbox.session(userId)).json.data.attributes['user-id']).toBe(named);
    expect((await sandbox.session(userId)).json.data.attributes['user-id']).toBe(userId);
  });

  it('spread a latency, together with another fault', async () => {
    await sandbox.fault({ kind: 'latency', fixedMs: 100, spreadMs: 50, count: 1 });
    await sandbox.fault({ kind: 'status', status: 500, count: 1 });
    const startedAt = performance.now();
    expect((await sandbox.session('ada')).status).toBe(500);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(99);
    expect(await counters()).toMatchObject({ faults: { latency: 1, status: 1 } });
  });

  it('apply to a fraction of the requests, which depends only on the seed', async () => {
    const outcomes = async () => {
      await using seeded = await startSandboxUnderTest({ SANDBOX_SEED: '7' });
      await seeded.fault({ kind: 'status', status: 503, share: 0.3 });
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

  it('do not affect other operations', async () => {
    await sandbox.fault({ kind: 'huge-amounts', count: 1 });
    expect((await sandbox.session('ada')).status).toBe(200);
    expect(await sandbox.shown('faults')).toMatchObject([{ remaining: 1 }]);
  });

  it('are limited to a thousand', async () => {
    await Promise.all(Array.from({ length: 1_000 }, () => sandbox.fault({ kind: 'gzip' })));
    expect((await sandbox.control('POST', 'faults', { kind: 'gzip' })).status).toBe(409);
  });

  it.each([
    [{ kind: 'latency' }, '/fixedMs'],
    [{ kind: 'status', status: 200 }, '/status'],
    [{ kind: 'status', status: 500, operation: 'x' }, '/operation'],
    [{ kind: 'redirect' }, '/location'],
    [{ kind: 'redirect', location: 'https://a.example/\r\nx: y' }, '/location'],
    [{ kind: 'status', status: 429, retryAfter: 'ü' }, '/retryAfter'],
    [{ kind: 'truncated', bodyShare: 1 }, '/bodyShare'],
    [{ kind: 'changing-total', by: 0.5 }, '/by'],
    [{ kind: 'gzip', level: 9 }, '/level'],
    [{ kind: 'huge-amounts', operation: 'session' }, '/operation'],
    [{ kind: 'other-user-id', as: 'name' }, '/as'],
    [{ kind: 'toString' }, '/kind'],
  ])('are refused if they are not described well: %j', async (body, at) => {
    const { status, json } = await sandbox.control('POST', 'faults', body);
    expect(status).toBe(422);
    expect(json.violations.map((violation: any) => violation.pointer)).toContain(at);
    expect(await sandbox.shown('faults')).toEqual([]);
  });
});

describe('a fault of reports', () => {
  const sandbox = sharedSandbox({ SANDBOX_REPORT_RECORDS: '25' });
  const report = async (query: Readonly<Record<string, string>> = {}) =>
    (await sandbox.adHoc({ dateFrom: '2024-03-24 00:00:00', dateTo: '2024-03-25 00:00:00' }, query)).json;
  const amounts = async () => (await report()).data.map((record: any) => record.attributes.win);

  it.each([
    [{ kind: 'clamped-per-page', perPage: 5 }, [25, 5, 2, 5], 5],
    [{ kind: 'repeated-page' }, [25, 3, 2, 10], 0],
    [{ kind: 'other-page' }, [25, 3, 1, 10], 0],
    [{ kind: 'endless-report' }, [21, 3, 2, 10], 0],
    [{ kind: 'changing-total', by: -6 }, [19, 2, 2, 10], 10],
  ])('serves another second page: %j', async (fault, meta, start) => {
    const { data } = await report({ 'per-page': '25' });
    await sandbox.fault(fault);
    const page = await report({ 'per-page': '10', page: '2' });
    expect([Object.values(page.meta), page.data]).toEqual([meta, data.slice(start, start + meta[3]!)]);
  });

  it.each([
    ['odd-amounts', [{ win: 288.31 }, { win: '288.31' }, { win: null }]],
    ['odd-records', [{ win: undefined }, { 'user-id': null }, { currency: '' }]],
  ])('makes records odd in turn: %s', async (kind, changes) => {
    const { data } = await report({ 'per-page': '3' });
    await sandbox.fault({ kind });
    const odd = data.map(({ attributes }: any, index: number) => ({ ...attributes, ...changes[index] }));
    expect((await report({ 'per-page': '3' })).data.map(({ attributes }: any) => attributes)).toEqual(odd);
  });

  it('lets the amounts change with time', async () => {
    const before = await amounts();
    await sandbox.fault({ kind: 'changing-figures', everyMs: 1 });
    const first = await amounts();
    await wait(5);
    expect(first).not.toEqual(before);
    expect(await amounts()).not.toEqual(first);
    expect(first.length).toBe(before.length);
  });
});
