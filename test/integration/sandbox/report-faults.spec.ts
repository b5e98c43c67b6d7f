import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startSandboxUnderTest, type SandboxUnderTest } from './sandbox-under-test.ts';

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
