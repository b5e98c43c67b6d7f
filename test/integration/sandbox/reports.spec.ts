import { describe, expect, it } from '@jest/globals';

import { adHocAttributes } from '../../support/platform-answers.ts';
import { sharedSandbox, startSandboxUnderTest } from './sandbox-under-test.ts';

const DAY = { dateFrom: '2024-03-24 00:00:00', dateTo: '2024-03-25 00:00:00' };
const WEEK = { dateFrom: '2024-03-24 00:00:00', dateTo: '2024-03-31 00:00:00' };
const ALL = { 'per-page': '1000' };
const any = expect.any(String);

const rejection = (status: number, title: string, detail: string) =>
  expect.objectContaining({ errors: [expect.objectContaining({ status, title, detail })] });

describe('reports', () => {
  const sandbox = sharedSandbox({ SANDBOX_REPORT_RECORDS: '51' });
  const currencyOf = (record: any) => record.attributes.currency;

  it('contain an envelope and the records of the interface document', async () => {
    const { status, headers, json } = await sandbox.adHoc(DAY, { 'per-page': '10', page: '2' });
    expect([status, headers['content-type']]).toEqual([200, 'application/vnd.api+json']);
    expect(json.meta).toEqual({ 'total-count': 51, 'page-count': 6, 'current-page': 2, 'per-page': 10 });
    expect(json.links).toEqual({
      self: { href: `${sandbox.url}/api/web/v2/app/reports/ad_hoc?clientId=sandbox&per-page=10&page=2` },
    });
    const [{ id, type, attributes }] = json.data;
    expect([type, id]).toEqual(['ad-hoc-report', expect.stringMatching(/^player-\d{8}-\d+-2024-03-24$/)]);
    expect(Object.keys(attributes)).toEqual(Object.keys(adHocAttributes('')));
  });

  it('have pages that together contain every record once, followed by empty pages', async () => {
    const pages = await Promise.all(
      [1, 2, 3, 4, 5, 6, 7].map((page) => sandbox.adHoc(DAY, { 'per-page': '10', page: String(page) })),
    );
    const records = pages.map(({ json }) => json.data as { id: string; attributes: any }[]);
    expect(records.map(({ length }) => length)).toEqual([10, 10, 10, 10, 10, 1, 0]);
    const keys = records.flat().map(({ attributes }) => {
      const { 'user-id': user, date, 'money-type': money, currency } = attributes;
      return [user, date, money, currency].join();
    });
    expect(new Set(keys).size).toBe(51);
    expect(new Set(records.flat().map(({ id }) => id)).size).toBe(51);
  });

  it('give the first day of a range from midnight to midnight, and the same day within a week', async () => {
    const day = await sandbox.adHoc(DAY, ALL);
    const week = await sandbox.adHoc(WEEK, ALL);
    expect(week.json.meta['total-count']).toBe(7 * 51);
    expect(week.json.data.slice(0, 51)).toEqual(day.json.data);
    expect(new Set(week.json.data.map((record: any) => record.attributes.date)).size).toBe(7);
  });

  it('select by user and by currency', async () => {
    const recordsOf = async (form: object) => (await sandbox.adHoc({ ...DAY, ...form }, ALL)).json.data;
    const userId = 'player-00000002';
    const [all, ofUser] = [await recordsOf({}), await recordsOf({ userId })];
    expect(ofUser).toHaveLength(4);
    for (const currency of ['USD', 'EUR', 'GBP']) {
      const isIn = (record: any) => currencyOf(record) === currency;
      expect(await recordsOf({ currency })).toEqual(all.filter(isIn));
      expect(await recordsOf({ userId, currency })).toEqual(ofUser.filter(isIn));
    }
    expect(await recordsOf({ userId: 'nobody' })).toEqual([]);
  });

  it('have figures for a player of the sandbox who is requested by id', async () => {
    await sandbox.session('ada', { currency: 'EUR' });
    const { json } = await sandbox.adHoc({ ...DAY, userId: 'ada' });
    expect(json.data.map(currencyOf)).toEqual(['EUR', 'EUR']);
  });

  it('read rake by a form in the body of a GET, and link the first and the last page', async () => {
    const { status, json } = await sandbox.rake(DAY, { 'per-page': '10', page: '2', timeZone: '+03:00' });
    expect(status).toBe(200);
    expect(json.meta).toEqual({ 'total-count': 26, 'page-count': 3, 'current-page': 2, 'per-page': 10 });
    const page = (number: number) => ({
      href: `${sandbox.url}/api/web/v2/app/users/rake?clientId=sandbox&per-page=10&page=${number}&timeZone=%2B03%3A00`,
    });
    expect(json.links).toEqual({ self: page(2), first: page(1), last: page(3) });
    const attributes = { 'user-id': any, currency: any, value: expect.any(Number) };
    expect(json.data[0]).toEqual({ type: 'players-rake', id: any, attributes });
  });

  it('add up the ad hoc report of a user to the rake', async () => {
    const form = { ...WEEK, userId: 'player-00000003', currency: 'EUR' };
    let value = 0;
    for (const { attributes } of (await sandbox.adHoc(form, ALL)).json.data)
      value += attributes.rake + attributes['tournament-fee'];
    expect((await sandbox.rake(form)).json.data).toMatchObject([{ attributes: { value } }]);
  });

  it.each(['id', 'user-id', 'currency', 'value'])(
    'sort rake by %s, ascending and descending',
    async (field) => {
      const valuesBy = async (sort: string) => {
        const { json } = await sandbox.rake(DAY, { ...ALL, sort });
        return json.data.map((record: any) => (field === 'id' ? record.id : record.attributes[field]));
      };
      const values = await valuesBy(field);
      const compare = (left: any, right: any) => (left < right ? -1 : left > right ? 1 : 0);
      expect(values).toEqual([...values].sort(compare));
      expect(new Set(values).size).toBeGreaterThan(1);
      expect(await valuesBy(`-${field}`)).toEqual(values.reverse());
    },
  );

  it('shift the period of rake by the time zone', async () => {
    const recordsOf = async (period: typeof DAY, query = {}) =>
      (await sandbox.rake({ ...period, userId: 'player-00000002' }, query)).json.data;
    const utc = await recordsOf(DAY);
    const shifted = await recordsOf({ dateFrom: '2024-03-23 21:00:00', dateTo: '2024-03-24 21:00:00' });
    expect(shifted).not.toEqual(utc);
    expect(await recordsOf(DAY, { timeZone: 'Europe/Moscow' })).toEqual(shifted);
    expect(await recordsOf(DAY, { timeZone: '+00:00' })).toEqual(utc);
  });

  it("convert rake into the player's preferred currency, or the system's", async () => {
    await sandbox.openGame({ player: { id: 'carl', currency: 'USD', preferredCurrency: 'EUR' } });
    for (const [userId, convertToPreferredCurrency, currencies] of [
      ['carl', '1', ['EUR']],
      ['carl', '0', ['USD']],
      ['player-00000001', '1', ['USD', 'USD']],
    ] as const) {
      const { json } = await sandbox.rake({ ...DAY, userId }, { convertToPreferredCurrency });
      expect(json.data.map(currencyOf)).toEqual(currencies);
    }
  });

  it('accept query parameters for rake if the installation is configured so', async () => {
    await using other = await startSandboxUnderTest({ SANDBOX_RAKE_PARAMETERS_IN: 'query' });
    expect((await other.rake({}, DAY)).status).toBe(200);
    expect((await other.rake(DAY)).status).toBe(422);
    expect((await sandbox.rake({}, DAY)).status).toBe(422);
  });

  it.each([
    [{ dateTo: DAY.dateTo }, {}, 'dateFrom'],
    [{ dateFrom: DAY.dateFrom }, {}, 'dateTo'],
    [{ ...DAY, dateFrom: '2024-02-30 00:00:00' }, {}, 'dateFrom'],
    [{ ...DAY, dateTo: '2024-03-25' }, {}, 'dateTo'],
    [{ ...DAY, dateTo: '2024-03-25T00:00:00' }, {}, 'dateTo'],
    [{ ...DAY, dateTo: '2024-03-25 24:00:00' }, {}, 'dateTo'],
    [{ ...DAY, dateTo: DAY.dateFrom }, {}, 'dateTo'],
    [{ ...DAY, currency: 'XXX' }, {}, 'currency'],
    [DAY, { timeZone: 'Europe/Atlantis' }, 'timeZone'],
    [DAY, { timeZone: '+99:99' }, 'timeZone'],
    [{ ...DAY, dateTo: '2024-03-31 02:30:00' }, { timeZone: 'Europe/Berlin' }, 'dateTo'],
    [DAY, { sort: 'name' }, 'sort'],
  ])('refuse %j %j', async (form, query, name) => {
    const { status, json } = await sandbox.rake(form, query);
    expect([status, json]).toEqual([422, rejection(422, 'Unprocessable Entity', 'Incorrect data')]);
    expect(json.errors[0].source).toEqual({ pointer: `/data/attributes/${name}` });
  });

  it.each([{ page: '0' }, { page: 'x' }, { 'per-page': '-1' }, { 'per-page': '1.5' }])(
    'refuse the page %j',
    async (query) => {
      expect((await sandbox.adHoc(DAY, query)).json).toEqual(rejection(400, 'Bad Request', 'Bad Request'));
    },
  );

  it('have twenty records a page, and at most a thousand', async () => {
    expect((await sandbox.adHoc(DAY)).json.meta['per-page']).toBe(20);
    const { json } = await sandbox.adHoc(DAY, { 'per-page': '1001' });
    expect([json.meta['per-page'], json.data.length]).toEqual([1000, 51]);
  });

  it('answer 404 for an unknown user if players must exist', async () => {
    await using strict = await startSandboxUnderTest({ SANDBOX_UNKNOWN_PLAYERS: 'refuse' });
    const unknown = await strict.adHoc({ ...DAY, userId: 'ada' });
    expect(unknown.json).toEqual(rejection(404, 'Not Found', 'Not found'));
    expect((await strict.rake({ ...DAY, userId: 'player-00000001' })).status).toBe(200);
  });

  it('serve the last page of ten million records as quickly as the first', async () => {
    await using large = await startSandboxUnderTest({ SANDBOX_REPORT_RECORDS: '20000000' });
    const before = process.memoryUsage().heapUsed;
    const used = process.threadCpuUsage();
    for (const form of [DAY, { ...DAY, currency: 'GBP' }]) {
      const { json } = await large.rake(form, { 'per-page': '1000', page: '1' });
      const last = String(json.meta['page-count']);
      for (const sort of ['id', 'currency', '-value']) {
        const { json: end } = await large.rake(form, { 'per-page': '1000', page: last, sort });
        expect(end.data.length).toBe(end.meta['total-count'] % 1000 || 1000);
      }
    }
    const { json } = await large.adHoc(DAY, { 'per-page': '1000', page: '20000' });
    expect(json.meta).toMatchObject({ 'total-count': 20_000_000, 'page-count': 20_000 });
    expect(json.data).toHaveLength(1000);
    // Time of the processor, so that a busy machine changes nothing.
    expect(process.threadCpuUsage(used).user / 1_000).toBeLessThan(4_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000);
  });
});
