import { describe, expect, it } from '@jest/globals';

import { folderForAll } from '../../support/suite-service.ts';
import { runCli } from './run-cli.ts';

const RECORDS = ['a', 'b', 'c'].map((id) => ({ id, userId: `u-${id}`, currency: 'EUR', value: 1_000 }));
const [A, B, C] = RECORDS as [(typeof RECORDS)[0], (typeof RECORDS)[0], (typeof RECORDS)[0]];

describe('poker-bridge report diff', () => {
  const folder = folderForAll();

  const ndjson = (name: string, records: readonly object[], summary?: object): string => {
    if (summary) folder.write(`${name}.summary.json`, JSON.stringify(summary));
    return folder.write(name, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  };
  const diff = (...args: string[]) => runCli(['report', 'diff', ...args]);

  it('says which records and totals changed, and by how much', async () => {
    const period = { from: '2026-10-01 00:00:00', to: '2026-11-01 00:00:00', timeZone: null };
    const summary = { precisions: { EUR: 2 }, operator: 'default', period };
    const before = ndjson('before.ndjson', [A, B], summary);
    const later = { ...period, to: '2026-12-01 00:00:00' };
    const after = ndjson('after.ndjson', [{ ...A, value: 1_250 }, C], { ...summary, period: later });
    const { code, stdout, stderr } = await diff(before, after);
    expect(stdout.split('\n').slice(3)).toEqual([
      '1 record added, 1 removed, 1 changed',
      '',
      'currency  amount  before  after  difference',
      'EUR       value    20.00  22.50       +2.50',
      '',
      'change   record  currency  member  before  after  difference',
      'removed  b       EUR',
      'added    c       EUR',
      'changed  a       EUR       value    10.00  12.50       +2.50',
      '',
    ]);
    expect(stderr).toBe('warning: the files differ in period\n');
    expect(code).toBe(1);
    expect((await diff(before, after, '--limit', '1')).stdout).toMatch(/the first 1; --limit 3 lists all\n$/);
  });

  it('finds no difference between equal files, whatever their formats are', async () => {
    const csv = `id,userId,currency,value,valueDecimal\r\na,u-a,EUR,1000,10.00\r\n"b",u-b,EUR,1000,\r\n`;
    const json = folder.write('a.json', JSON.stringify([A, B]));
    for (const text of [csv, csv.replaceAll(',', ';').replace('10.00', '10,00')]) {
      const { code, lines } = await diff(folder.write('a.csv', text), json, '--json');
      expect(code).toBe(0);
      const none = { added: 0, removed: 0, changed: 0, totals: [], records: [], warnings: [] };
      expect(lines).toMatchObject([none]);
    }
  });

  it('keeps every digit, marks minor units, and compares repeated records with each other', async () => {
    const huge = 90_071_992_547_409_931n;
    const line = (value: bigint) => `{"id":"a","currency":"mBTC","value":${value}}\n`;
    const before = folder.write('huge.ndjson', line(huge) + line(1n));
    const after = folder.write('more.ndjson', line(huge) + line(huge + 1n));
    expect((await diff(before, after, '--json')).lines).toMatchObject([
      {
        changed: 1,
        totals: [{ unit: 'minor', before: '90071992547409932', after: '180143985094819863' }],
        records: [{ change: 'changed', id: 'a', difference: '+90071992547409931' }],
      },
    ]);
    expect((await diff(before, after, '--decimals', 'mBTC=5')).stdout).toContain('+900719925474.09931');
  });

  it.each([
    ['a.txt', '', /does not end in \.csv, \.ndjson, \.json, \.parquet/],
    ['a.parquet', 'PAR', /a\.parquet is not Parquet/],
    ['no-id.json', '{"a":1}', /a record has no id/],
    ['cut.ndjson', '{', /is not JSON/],
  ])('refuses %s with %j', async (name, content, reason) => {
    const file = folder.write(name, content);
    expect(await diff(file, file)).toMatchObject({ code: 2, stderr: expect.stringMatching(reason) });
  });
});
