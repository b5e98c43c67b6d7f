import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { parseExactJson } from '#signing';

import { compare } from './compare.ts';
import { describeEnding, type Ending, endingJson, warningsOf } from './ending.ts';
import { NOTHING_READ } from './reading.ts';
import { type Precisions, readRecords, type ReportRecord } from './records.ts';

const PERIOD = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00' };
const line = (id: string, value: unknown, currency = 'EUR'): string =>
  JSON.stringify({ id, userId: `player ${id}`, currency, value });

async function* recordsOf(lines: readonly string[]): AsyncGenerator<ReportRecord> {
  yield* lines.map((each) => parseExactJson(each) as ReportRecord);
}

/** @param more of the reading */
async function endingOf(
  lines: readonly string[],
  more: Partial<Ending['reading']> = {},
  precisions: Precisions = new Map([['EUR', 2]]),
): Promise<Ending> {
  const { length: records } = lines;
  const last = { totalCount: records, pageCount: 1, perPage: 500 };
  const reading = { ...NOTHING_READ, pages: 1, records, last, ...more };
  const facts = await readRecords('rake', recordsOf(lines), records, precisions);
  return { file: 'a.csv', report: 'rake', reading, facts, comparison: undefined };
}
const warnings = (ending: Ending): string[] => warningsOf(ending, PERIOD, undefined);

describe('the end of a report', () => {
  it('has totals by currency, exact and as decimals if they are known', async () => {
    const huge = '90071992547409931';
    const ending = await endingOf([
      line('a', 250),
      line('b', -49),
      line('c', 1, 'mBTC'),
      line('d', 0, 'mBTC').replace(':0', `:${huge}`),
    ]);
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
    const ended = (readTo: string) => endingOf([line('a', 1)], { readFrom, readTo });
    const [soon, late] = [await ended('2026-03-02T00:09:59.000Z'), await ended('2026-03-02T00:10:01.000Z')];
    expect(JSON.parse(endingJson(soon))).toMatchObject({
      readFrom,
      readTo: '2026-03-02T00:09:59.000Z',
      spansIntervals: false,
    });
    expect(JSON.parse(endingJson(late))).toMatchObject({ spansIntervals: true });
    expect(warnings(soon)).toEqual([]);
    expect(warnings(late)).toEqual([
      expect.stringMatching(/read from 2026-03-02T00:09:58.000Z to .*may not fit together; fetch it again$/),
    ]);
  });

  it('counts records that came twice and those that are missing', async () => {
    const ending = await endingOf([line('a', 1), line('b', 2), line('a', 1)]);
    const counts = { repeated: 1, missing: 1, changedWhileReading: true };
    expect(JSON.parse(endingJson(ending))).toMatchObject(counts);
    expect(warnings(ending)).toEqual([
      '1 records came twice; fetch it again',
      '1 records are missing of the 3 that the platform counts',
    ]);
  });

  it('names the currencies without decimals, and what to say', async () => {
    const ending = await endingOf([line('a', 1, 'USD')], {}, new Map([['USD', null]]));
    expect(warnings(ending)).toEqual([expect.stringContaining('say --decimals USD=2')]);
  });
});

describe('compare', () => {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'poker-bridge-compare-'));
  const write = (file: string, text: string): void => writeFileSync(join(folder.path, file), text);
  afterAll(() => folder.remove());
  beforeAll(() => {
    const before = [line('a', 1), line('b', 200), line('d', 5)];
    write(
      'before.csv',
      'id,userId,currency,value,valueDecimal\r\na,"p, a",EUR,1,0.01\r\nb,p,EUR,200,2.00\r\nd,p,EUR,5,0.05\r\n',
    );
    write('before.ndjson', before.map((each) => `${each}\n`).join(''));
    write('before.json', `[\n${before.join(',\n')}\n]\n`);
  });

  const now = [line('a', 1), line('b', 250), line('c', 7), line('e', 3, 'USD')];
  it.each(['before.csv', 'before.ndjson', 'before.json'])(
    'finds what was added, removed and changed since %s',
    async (file) => {
      const comparison = await compare(join(folder.path, file), recordsOf(now), ['value']);
      const ending = { ...(await endingOf(now)), comparison };
      expect(describeEnding(ending).slice(3)).toEqual([
        'compared: 2 added, 1 removed, 1 changed',
        '  value EUR +0.52',
        '  value USD +3',
        '  b EUR: value 200 → 250',
      ]);
      expect(endingJson(ending)).toContain(
        '"comparison":{"added":2,"removed":1,"changed":1,"differences":[{"currency":"EUR","value":52},{"currency":"USD","value":3}]}',
      );
    },
  );

  it.each([
    ['no-such.csv', /ENOENT/],
    ['a.parquet', /takes a \.csv, \.ndjson or \.json file/],
  ])('refuses %s', async (file, expected) => {
    await expect(compare(join(folder.path, file), recordsOf(now), ['value'])).rejects.toThrow(expected);
  });
});
