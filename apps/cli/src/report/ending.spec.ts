import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { compare } from './compare.ts';
import { describeEnding, type Ending, endingJson, warningsOf } from './ending.ts';
import { Reading } from './reading.ts';
import { readRecords } from './records.ts';

const PERIOD = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00' };
const KEPT = {
  pages: 1,
  records: 1,
  faults: 0,
  hasChanged: false,
  last: { totalCount: 1, pageCount: 1, perPage: 500 },
  precisions: [],
};
const line = (id: string, value: unknown, currency = 'EUR'): string =>
  JSON.stringify({ id, userId: `player ${id}`, currency, value });

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

async function endingOf(lines: readonly string[], more: Partial<Ending> = {}): Promise<Ending> {
  const { length } = lines;
  const reading = new Reading({ ...KEPT, records: length, last: { ...KEPT.last, totalCount: length } });
  const facts = await readRecords('rake', each(lines), lines.length);
  const precisions = new Map<string, number | null>([['EUR', 2]]);
  return { file: 'a.csv', report: 'rake', reading, facts, precisions, comparison: undefined, ...more };
}

describe('the end of a report', () => {
  it('has totals by currency, exact and as decimals where they are known', async () => {
    const huge = '90071992547409931';
    const lines = [
      line('a', 250),
      line('b', -49),
      line('c', 1, 'mBTC'),
      line('d', 0, 'mBTC').replace(':0', `:${huge}`),
    ];
    const ending = await endingOf(lines);
    expect(describeEnding(ending)).toEqual([
      '4 records of 1 pages in a.csv',
      'total EUR: value 2.01',
      'total mBTC: value 90071992547409932',
    ]);
    expect(endingJson(ending)).toContain(
      '"totals":[{"currency":"EUR","value":201},{"currency":"mBTC","value":90071992547409932}]',
    );
  });

  it('says when it was read, and warns if the platform aggregated meanwhile', async () => {
    const readFrom = '2026-03-02T00:09:58.000Z';
    const at = async (readTo: string) => {
      const reading = new Reading({ ...KEPT, readFrom, readTo });
      const ending = await endingOf([line('a', 1)], { reading });
      return [JSON.parse(endingJson(ending)) as object, warningsOf(ending, PERIOD, undefined)];
    };
    expect(await at('2026-03-02T00:09:59.000Z')).toEqual([
      expect.objectContaining({ readFrom, readTo: '2026-03-02T00:09:59.000Z', spansIntervals: false }),
      [],
    ]);
    expect(await at('2026-03-02T00:10:01.000Z')).toEqual([
      expect.objectContaining({ spansIntervals: true }),
      [
        expect.stringMatching(
          /read from 2026-03-02T00:09:58.000Z to .*may not fit together; fetch it again$/,
        ),
      ],
    ]);
  });

  it('counts records that came twice and those that are missing', async () => {
    const ending = await endingOf([line('a', 1), line('b', 2), line('a', 1)]);
    expect(JSON.parse(endingJson(ending))).toMatchObject({
      repeated: 1,
      missing: 1,
      changedWhileReading: true,
    });
    expect(warningsOf(ending, PERIOD, undefined)).toEqual([
      '1 records came twice; fetch it again',
      '1 records are missing of the 3 that the platform counts',
    ]);
  });

  it('names the currencies without decimals, and what to say', async () => {
    const ending = await endingOf([line('a', 1, 'USD')], { precisions: new Map([['USD', null]]) });
    expect(warningsOf(ending, PERIOD, undefined)).toEqual([expect.stringContaining('say --decimals USD=2')]);
  });
});

describe('compare', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'poker-bridge-compare-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const now = [line('a', 1), line('b', 250), line('c', 7), line('e', 3, 'USD')];
  it.each([
    [
      'before.csv',
      'id,userId,currency,value,valueDecimal\r\na,"p, a",EUR,1,0.01\r\nb,p,EUR,200,2.00\r\nd,p,EUR,5,0.05\r\n',
    ],
    ['before.ndjson', `${line('a', 1)}\n${line('b', 200)}\n${line('d', 5)}\n`],
    ['before.json', `[\n${line('a', 1)},\n${line('b', 200)},\n${line('d', 5)}\n]\n`],
  ])('finds what was added, removed and changed since %s', async (file, text) => {
    await writeFile(join(folder, file), text);
    const comparison = await compare(join(folder, file), each(now), ['value']);
    expect(comparison).toMatchObject({
      added: 2,
      removed: 1,
      changed: [{ id: 'b', currency: 'EUR', changes: [{ member: 'value', from: '200', to: '250' }] }],
    });
    expect(comparison.differences).toEqual(
      new Map([
        ['EUR', new Map([['value', 52n]])],
        ['USD', new Map([['value', 3n]])],
      ]),
    );
    expect(describeEnding(await endingOf(now, { comparison }))).toEqual(
      expect.arrayContaining([
        'compared: 2 added, 1 removed, 1 changed',
        '  value EUR +0.52',
        '  b EUR: value 200 → 250',
      ]),
    );
  });

  it.each([
    ['no-such.csv', /ENOENT/],
    ['a.parquet', /takes a \.csv, \.ndjson or \.json file/],
  ])('refuses %s', async (file, expected) => {
    await expect(compare(join(folder, file), each(now), ['value'])).rejects.toThrow(expected);
  });
});
