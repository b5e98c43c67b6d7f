import { describe, expect, it } from '@jest/globals';

import { parseExactJson } from '#signing';

import { type Page, ReportFacts } from './facts.ts';
import { describeSummary, summaryOf } from './summary.ts';
import type { ReportRecord } from './totals.ts';

const DATA = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00', currency: 'EUR', perPage: 9 };
const REQUEST = { type: 'report.rake.fetch', data: DATA, operator: undefined, deadlineMs: 1 } as const;
const line = (id: string, value: unknown, currency = 'EUR'): string =>
  JSON.stringify({ id, userId: `player ${id}`, currency, value });

/** Facts of a page for each of the changes, with a record each if there are several; default: one page. */
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
const summaryWith = (facts: ReportFacts, data = {}) =>
  summaryOf('a.csv', facts, { ...REQUEST, data: { ...DATA, ...data } });
const warnings = (facts: ReportFacts) => summaryWith(facts).warnings;

describe('summaryOf', () => {
  const huge = '90071992547409931';
  const facts = factsOf([
    line('a', 250),
    line('b', -49),
    line('c', 1, 'mBTC'),
    line('d', 0, 'mBTC').replace(':0', `:${huge}`),
    line('e', 0, 'GBP'),
  ]);

  it('names report, period, operator, filters and times, and counts', () => {
    expect(summaryWith(facts)).toMatchObject({
      file: 'a.csv',
      report: 'rake',
      period: { from: DATA.dateFrom, to: DATA.dateTo, timeZone: null },
      operator: 'default',
      filters: { currency: 'EUR' },
      readFrom: '2026-03-02T00:09:58.000Z',
      readTo: '2026-03-02T00:09:58.000Z',
      pages: 1,
      records: 5,
      repeated: 0,
      changed: 0,
      missing: 0,
      faults: 0,
      precisions: { EUR: 2 },
    });
    expect(Object.keys(summaryWith(facts).filters)).toEqual(['currency']);
  });

  it('has exact totals by currency as texts, decimal if the decimals are known', () => {
    expect(summaryWith(facts).totals).toEqual([
      { currency: 'EUR', unit: 'decimal', amounts: { value: '2.01' } },
      { currency: 'GBP', unit: 'minor', amounts: { value: '0' } },
      { currency: 'mBTC', unit: 'minor', amounts: { value: '90071992547409932' } },
    ]);
    expect(summaryOf('a.csv', facts, REQUEST, true).totals[0]).toMatchObject({
      unit: 'minor',
      amounts: { value: '201' },
    });
  });

  it('is a table for people, aligned, with the unit of each column', () => {
    expect(describeSummary(summaryWith(facts, { timeZone: 'Europe/Berlin' })).split('\n')).toEqual([
      '5 records of 1 page in a.csv',
      '',
      'report    rake',
      'period    2026-03-01 00:00:00 to 2026-03-02 00:00:00 (the day 2026-03-01)',
      'zone      Europe/Berlin',
      'operator  default',
      'filters   currency EUR',
      'read      at 2026-03-02T00:09:58.000Z',
      'records   5; the platform counts 5',
      'noticed   nothing repeated, changed, missing or odd',
      '',
      'total   EUR          GBP               mBTC',
      'unit         minor units        minor units',
      'value  2.01            0  90071992547409932',
    ]);
  });

  it('divides many currencies into several tables', () => {
    const many = factsOf(['A', 'B', 'C', 'D', 'E', 'F'].map((currency) => line(currency, 1, currency)));
    const text = describeSummary(summaryWith(many));
    const titles = text.match(/^total .*/gm)?.map((row) => row.split(/ +/).slice(1).join(' '));
    expect(titles).toEqual(['A B C', 'D E F']);
  });

  it.each([
    ['00:09:59', false, []],
    [
      '00:10:01',
      true,
      [expect.stringMatching(/read from 2026-03-02T00:09:58.000Z to .*may not fit together/)],
    ],
  ])('warns if the platform aggregated before it was read at %s', (time, isSpanning, warned) => {
    const readTo = `2026-03-02T${time}.000Z`;
    const spanning = factsOf([line('a', 1), line('b', 1)], {}, { readAt: readTo });
    expect(summaryWith(spanning)).toMatchObject({
      readFrom: '2026-03-02T00:09:58.000Z',
      readTo,
      spansIntervals: isSpanning,
      warnings: warned,
    });
  });

  it.each([{ totalCount: 2 }, { pageCount: 3 }, { perPage: 3 }])(
    'notices a change while it was read: %j',
    (extent) => {
      const changing = factsOf([line('a', 1), line('b', 2)], { ...extent, totalCount: 3 }, extent, {});
      expect(warnings(changing)[0]).toBe('the report changed while it was read; fetch it again');
      expect(summaryWith(changing)).toMatchObject({ pages: 3, changedWhileReading: true });
    },
  );

  it('notices a change that is undone before the last page', () => {
    const undone = factsOf([line('a', 1), line('b', 2)], {}, { totalCount: 3 }, {});
    expect(summaryWith(undone)).toMatchObject({ changedWhileReading: true, missing: 0 });
  });

  it('counts records that repeat, those among them that changed, and missing ones', () => {
    const lines = [...['a', 'b', 'c', 'a'].map((id) => line(id, 1)), line('b', 2)];
    const repeating = factsOf(lines, {}, {}, {}, {}, {});
    const counts = { repeated: 2, changed: 1, missing: 2, changedWhileReading: true };
    expect(summaryWith(repeating)).toMatchObject(counts);
    expect(warnings(repeating)).toEqual([
      '2 records repeated, 1 with other amounts; fetch it again',
      '2 records missing of the 5 that the platform counts; fetch it again',
    ]);
    expect(describeSummary(summaryWith(repeating))).toContain('noticed   2 repeated, 1 changed, 2 missing\n');
    const less = ['b', 'c'].map((id) => line(id, 1));
    expect(summaryWith(factsOf(less, { totalCount: 3 }))).toMatchObject({ repeated: 0, missing: 1 });
    expect(warnings(factsOf(less, { totalCount: 1 }))).toEqual([
      '1 record more than the 1 that the platform counts',
    ]);
  });

  it('counts odd values, and names currencies without decimals', () => {
    const faults = [{ pointer: '/records/0/value', message: 'is odd' }];
    const odd = factsOf([line('a', 1.5, 'USD')], { faults, precisions: { USD: null, EUR: 2 } });
    expect(warnings(odd)).toEqual([
      '1 odd value, written unchanged',
      expect.stringContaining('give --decimals USD=2'),
    ]);
    expect(odd.decimalOf(1.5, 'EUR')).toBeUndefined();
  });

  it('prefers the decimals of the worker to those of the user, and says so', () => {
    const given = new ReportFacts(
      'rake',
      new Map([
        ['EUR', 3],
        ['GBP', 4],
      ]),
    );
    for (const page of [{ EUR: 2, GBP: null }]) given.add({ ...facts.last!, precisions: page });
    expect(given.precisions).toEqual({ EUR: 2, GBP: 4 });
    expect(warnings(given)).toEqual([
      expect.stringMatching(/^the decimals given for EUR differ .*, which were used$/),
    ]);
  });

  it('says when an empty report was read', () => {
    const empty = new ReportFacts('rake');
    empty.emptyAt = '2026-03-02T00:09:58.000Z';
    expect(summaryWith(empty)).toMatchObject({ readFrom: empty.emptyAt, readTo: empty.emptyAt, totals: [] });
  });
});

describe('ReportFacts', () => {
  it('is complete after the last page, whose number may change', () => {
    const reports = [
      new ReportFacts('rake'),
      factsOf([], { pageCount: 2 }),
      factsOf([], { pageCount: 2 }, { pageCount: 3 }),
      factsOf([], { pageCount: 3 }, { pageCount: 2 }),
    ];
    expect(reports.map(({ isComplete }) => isComplete)).toEqual([false, false, false, true]);
  });

  it('finds the type of each column, and falls back to text if records disagree', () => {
    const records = [
      {
        id: '1',
        userId: 'u',
        currency: 'EUR',
        value: 1,
        level: 3,
        since: '2026-02-28',
        note: null,
        mixed: 1,
      },
      { id: '2', userId: 'u', currency: 'EUR', value: 1, level: 4, since: '2026-02-30', note: 1, mixed: 'a' },
    ];
    const { columns } = factsOf(records.map((record) => JSON.stringify(record)));
    expect(Object.fromEntries(columns)).toEqual({
      id: 'text',
      userId: 'text',
      currency: 'text',
      value: 'integer',
      level: 'integer',
      since: 'text',
      note: 'integer',
      mixed: 'text',
    });
  });
});
