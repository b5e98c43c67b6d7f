import { describe, expect, it } from '@jest/globals';

import type { ReportPage } from '#contracts';

import { isAtEnd, NOTHING_READ, type Reading, withPage } from './reading.ts';

const page = (number: number, extent: Partial<ReportPage> = {}): ReportPage => ({
  report: 'rake',
  page: number,
  pageCount: 2,
  perPage: 2,
  totalCount: 3,
  precisions: { EUR: 2 },
  readAt: `2026-03-02T00:20:0${number}.120Z`,
  records: [{ id: 'a', userId: 'p', currency: 'EUR', value: 1 }],
  ...extent,
});
/** What a later run finds after these pages. */
const after = (...pages: readonly ReportPage[]): Reading =>
  JSON.parse(JSON.stringify(pages.reduce(withPage, NOTHING_READ))) as Reading;

describe('a reading', () => {
  it('counts, and keeps what the first page and the last one say', () => {
    const faults = [{ pointer: '/records/0/value', message: 'is odd' }];
    expect(after(page(1), page(2, { precisions: { USD: null }, faults }))).toEqual({
      pages: 2,
      records: 2,
      faults: 1,
      hasChanged: false,
      first: { totalCount: 3, pageCount: 2, perPage: 2 },
      last: { totalCount: 3, pageCount: 2, perPage: 2 },
      readFrom: '2026-03-02T00:20:01.120Z',
      readTo: '2026-03-02T00:20:02.120Z',
      precisions: [
        ['EUR', 2],
        ['USD', null],
      ],
    });
  });

  it.each([{ totalCount: 4 }, { pageCount: 3 }, { perPage: 3 }])('has changed with %j', (extent) => {
    expect(withPage(after(page(1)), page(2, extent)).hasChanged).toBe(true);
  });

  it('knows its end, which may move', () => {
    const readings = [
      NOTHING_READ,
      after(page(1)),
      after(page(1), page(2, { pageCount: 3 })),
      after(page(1), page(2)),
    ];
    expect(readings.map(isAtEnd)).toEqual([false, false, false, true]);
  });
});
