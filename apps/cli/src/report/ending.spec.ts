import { describe, expect, it } from '@jest/globals';

import { parseExactJson } from '#signing';

import { describeEnding, endingJson, warningsOf } from './ending.ts';
import { type Page, ReportFacts, type ReportRecord } from './facts.ts';

const PERIOD = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00' };
const line = (id: string, value: unknown, currency = 'EUR'): string =>
  JSON.stringify({ id, userId: `player ${id}`, currency, value });

/** @param changes of each page after the one before; of one record a page, if there are several */
function factsOf(lines: readonly string[], ...changes: readonly Partial<Page>[]): ReportFacts {
  const records = lines.map((each) => parseExactJson(each) as ReportRecord);
  const page: Page = {
    report: 'rake',
    page: 1,
    pageCount: 1,
    perPage: 500,
    totalCount: lines.length,
    precisions: { EUR: 2 },
    readAt: '2026-03-02T00:09:58.000Z',
    records,
  };
  const facts = new ReportFacts('rake');
  if (changes.length === 0) facts.add(page);
  for (const [index, change] of changes.entries()) {
    const own = changes.length === 1 ? records : records.slice(index, index + 1);
    facts.add({ ...page, records: own, ...change });
  }
  return facts;
}
const jsonOf = (facts: ReportFacts): string => endingJson('a.csv', facts);
const warnings = (facts: ReportFacts): string[] => warningsOf(facts, PERIOD);

describe('the end of a report', () => {
  it('has totals by currency, exact and as decimals if they are known', () => {
    const huge = '90071992547409931';
    const facts = factsOf([
      line('a', 250),
      line('b', -49),
      line('c', 1, 'mBTC'),
      line('d', 0, 'mBTC').replace(':0', `:${huge}`),
      line('e', 0, 'GBP'),
    ]);
    expect(describeEnding('a.csv', facts).split('\n')).toEqual([
      '5 records of 1 page in a.csv',
      'total EUR: value 2.01',
      'total mBTC: value 90071992547409932',
    ]);
    expect(jsonOf(facts)).toContain(
      '"totals":[{"currency":"EUR","value":201},{"currency":"GBP","value":0},{"currency":"mBTC","value":90071992547409932}]',
    );
  });

  it.each([
    ['00:09:59', false, []],
    [
      '00:10:01',
      true,
      [expect.stringMatching(/read from 2026-03-02T00:09:58.000Z to .*may not fit together/)],
    ],
  ])('says when it was read, warns if the platform aggregated meanwhile: %s', (time, isSpanning, warned) => {
    const readTo = `2026-03-02T${time}.000Z`;
    const facts = factsOf([line('a', 1), line('b', 1)], {}, { readAt: readTo });
    expect(JSON.parse(jsonOf(facts))).toMatchObject({
      readFrom: '2026-03-02T00:09:58.000Z',
      readTo,
      spansIntervals: isSpanning,
    });
    expect(warnings(facts)).toEqual(warned);
  });

  it.each([{ totalCount: 2 }, { pageCount: 3 }, { perPage: 3 }])(
    'notices a change while it was read: %j',
    (extent) => {
      const facts = factsOf([line('a', 1), line('b', 2)], { ...extent, totalCount: 3 }, extent, {});
      expect(warnings(facts)[0]).toBe('the report changed while it was read; fetch it again');
      expect(JSON.parse(jsonOf(facts))).toMatchObject({ pages: 3, changedWhileReading: true });
    },
  );

  it('comes with the last page, which may move', () => {
    const reports = [
      new ReportFacts('rake'),
      factsOf([], { pageCount: 2 }),
      factsOf([], { pageCount: 2 }, { pageCount: 3 }),
      factsOf([], { pageCount: 3 }, { pageCount: 2 }),
    ];
    expect(reports.map(({ isComplete }) => isComplete)).toEqual([false, false, false, true]);
  });

  it('counts records that came twice and those that are missing', () => {
    const lines = ['a', 'b', 'c', 'a'].map((id) => line(id, 1));
    const facts = factsOf(lines, {}, {}, {}, {});
    const counts = { repeated: 1, missing: 1, changedWhileReading: true };
    expect(JSON.parse(jsonOf(facts))).toMatchObject(counts);
    const less = factsOf(
      ['b', 'c'].map((id) => line(id, 1)),
      { totalCount: 3 },
    );
    expect(JSON.parse(jsonOf(less))).toMatchObject({ ...counts, repeated: 0 });
    expect(warnings(facts)).toEqual([
      '1 record came twice; fetch it again',
      '1 record of the 4 that the platform counts did not come; fetch it again',
    ]);
  });

  it('counts odd records, and names the currencies without decimals, and what to say', () => {
    const faults = [{ pointer: '/records/0/value', message: 'is odd' }];
    const facts = factsOf([line('a', 1.5, 'USD')], { faults, precisions: { USD: null, EUR: 2 } });
    expect(warnings(facts)).toEqual([
      '1 odd value came, and was written as it is',
      expect.stringContaining('give --decimals USD=2'),
    ]);
    expect(facts.decimalOf(1.5, 'EUR')).toBeUndefined();
  });
});
