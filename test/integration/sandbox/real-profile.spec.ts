import { describe, expect, it } from '@jest/globals';

import { digest } from '../../support/sandbox-client.ts';
import { sharedSandbox } from './sandbox-under-test.ts';

const DAY = { dateFrom: '2024-03-24 00:00:00', dateTo: '2024-03-25 00:00:00' };
const SIGNED_DAY = DAY.dateFrom + DAY.dateTo;

describe('a sandbox with the profile of the real platform', () => {
  const sandbox = sharedSandbox({
    SANDBOX_PROFILE: 'real',
    SANDBOX_REPORT_RECORDS: '120',
    SANDBOX_CURRENCY_MANDATORY: 'true',
  });

  it('gives pages of 20, or of 50 at most, and repeats the last one', async () => {
    const metaOf = async (query: Record<string, string>) => (await sandbox.adHoc(DAY, query)).json.meta;
    expect(await metaOf({})).toMatchObject({ 'per-page': 20, 'page-count': 6 });
    expect(await metaOf({ 'per-page': '500' })).toMatchObject({ 'per-page': 50, 'page-count': 3 });
    const [last, beyond] = await Promise.all(
      ['3', '9'].map((page) => sandbox.adHoc(DAY, { 'per-page': '50', page })),
    );
    expect(last!.json.data).toHaveLength(20);
    expect(beyond!.json).toMatchObject({ data: last!.json.data, meta: { 'current-page': 3 } });
    const nobody = await sandbox.adHoc({ ...DAY, currency: 'BRL' }, { page: '2' });
    expect(nobody.json).toMatchObject({ data: [], meta: { 'current-page': 1, 'total-count': 0 } });
  });

  it('keys currencies by money types, and gives its players ids of its own', async () => {
    const { data } = (await sandbox.adHoc(DAY)).json;
    const keys = data.map(({ attributes }: any) => `${attributes.currency} ${attributes['money-type']}`);
    expect([...new Set(keys)].toSorted()).toEqual([
      'EUR 90',
      'EUR 92',
      'GBP 100',
      'GBP 102',
      'USD 80',
      'USD 82',
    ]);
    expect(data[0]).toMatchObject({ id: '1-92-2024-03-24', attributes: { 'user-id': '1' } });
    const [rake] = (await sandbox.rake(DAY)).json.data;
    expect(rake.attributes).toMatchObject({ 'user-id': 1, value: expect.stringMatching(/^\d+$/) });
    const session = await sandbox.session('player-00000007', { currency: 'EUR' });
    expect(session.json.data.attributes['user-id']).toBe('7');
  });

  it('formats errors like other frameworks, and answers a success of v3 with 201', async () => {
    const player = { id: 'ada', currency: 'EUR' };
    expect((await sandbox.openGame({ player })).status).toBe(201);
    expect((await sandbox.openGame({ player: { id: 'ada' } })).json).toEqual({
      title: 'An error occurred',
      description: 'player.currency: Currency cannot be blank',
    });
    const unsigned = { title: 'An error occurred', description: 'Not valid request' };
    expect((await sandbox.openGame({ player }, 'wrong')).json).toEqual(unsigned);
    expect((await sandbox.session('ada', {}, { sign: 'wrong' })).json).toEqual({
      errors: [{ status: '400', title: 'Bad Request', detail: 'Not valid request' }],
    });
    const source = { pointer: 'data/attributes/currency' };
    expect((await sandbox.session('ada', { currency: 'XXX' })).json).toEqual({
      errors: [{ status: '422', source, detail: 'Currency not found' }],
    });
  });

  it('refuses requests without a User-Agent with an HTML page', async () => {
    const refused = await sandbox.send({
      method: 'POST',
      path: '/apiweb/v3/open-game',
      headers: { 'user-agent': '' },
    });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('403 Forbidden')]);
  });

  it('answers 429 with X-Rate-Limit-Reset', async () => {
    await sandbox.control('POST', 'faults', { kind: 'status', status: 429, retryAfter: '3' });
    expect((await sandbox.session('ada')).headers).toMatchObject({ 'x-rate-limit-reset': '3' });
  });

  it('accepts v2 parameters in the query, a JSON body and a form without userId, and shows that it does', async () => {
    const path = '/api/web/v2/app/users/ada/session?clientId=sandbox';
    const sign = digest('EURada');
    const json = { sign, 'content-type': 'application/json' };
    for (const sent of [
      { path: `${path}&currency=EUR`, headers: { sign } },
      { path, headers: json, body: '{"currency":"EUR","userId":"ada"}' },
      { path, headers: { sign, 'content-type': 'application/x-www-form-urlencoded' }, body: 'currency=EUR' },
    ]) {
      expect((await sandbox.send({ method: 'POST', ...sent })).status).toBe(200);
    }
    const { dateFrom, dateTo } = DAY;
    const query = new URLSearchParams({ clientId: 'sandbox', dateFrom, dateTo });
    const rake = {
      method: 'GET',
      path: `/api/web/v2/app/users/rake?${query}`,
      headers: { sign: digest(SIGNED_DAY) },
    };
    expect((await sandbox.send(rake)).status).toBe(200);
    expect((await sandbox.get('/')).text).toContain('It is lenient, as the real platform is');
  });
});
