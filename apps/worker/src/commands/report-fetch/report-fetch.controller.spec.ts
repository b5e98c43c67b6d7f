import { describe, expect, it } from '@jest/globals';

import type { ReportCompleted } from '#contracts';
import type { CollectionPage, PageRequest } from '#platform';

import {
  completedOf,
  FIVE,
  holding,
  type PageFacts,
  pageOf,
  pagesOf,
  PER_PAGE,
  PERIOD,
  type Progress,
  read,
  recordOf,
} from './report-fetch.fixture.ts';
import { readReport } from './report-fetch.controller.ts';

const [FIRST, SECOND, THIRD] = FIVE as [PageFacts, PageFacts, PageFacts];
const EMPTY = {
  report: 'rake',
  pages: 0,
  records: 0,
  totalCount: 0,
  changedWhileReading: false,
  repeated: 0,
  changed: 0,
  missing: 0,
  readFrom: '2026-01-31T12:05:00.000Z',
  readTo: '2026-01-31T12:05:00.000Z',
  spansIntervals: false,
  faults: 0,
};
const one = (id: string, pageCount: number, totalCount: number) =>
  pageOf([recordOf(id)], pageCount, totalCount);
const second = (...records: Parameters<typeof recordOf>[]): PageFacts => ({
  ...SECOND,
  ...holding(records.map((record) => recordOf(...record))),
});
const counted = (repeated: number, changed: number, missing: number) => ({
  changedWhileReading: true,
  repeated,
  changed,
  missing,
});
/** Two full pages and a shorter one, without a page count. */
const UNCOUNTED = [2, 2, 1].map((records, page) => ({
  ...pageOf(
    Array.from({ length: records }, (_, index) => recordOf(`${page}-${index}`)),
    0,
    0,
  ),
  currentPage: 0,
}));
const unchanged = { changedWhileReading: false };

describe('readReport', () => {
  it('reads every page in order, then reports the totals', async () => {
    const { asked, replies } = await read(FIVE);
    expect(asked).toEqual([1, 2, 3]);
    expect(pagesOf(replies)).toEqual(
      [['1', '2'], ['3', '4'], ['5']].map((ids, index) => ({
        report: 'rake',
        page: index + 1,
        pageCount: 3,
        perPage: 2,
        totalCount: 5,
        precisions: { USD: 2 },
        readAt: `2026-01-31T12:0${5 + index}:00.000Z`,
        records: ids.map((id) => recordOf(id)),
      })),
    );
    const completed = { ...EMPTY, pages: 3, records: 5, totalCount: 5, readTo: '2026-01-31T12:07:00.000Z' };
    expect(replies.slice(3)).toEqual([{ type: 'report.completed', data: completed }]);
  });

  it.each([0, 1])('answers an empty report of %i pages with its completion only', async (pageCount) => {
    const { asked, replies } = await read([pageOf([], pageCount, 0)]);
    expect([asked, replies]).toEqual([[1], [{ type: 'report.completed', data: EMPTY }]]);
  });

  it.each<[string, readonly PageFacts[], Partial<ReportCompleted>]>([
    ['grows after its last page', [one('1', 1, 1), one('2', 2, 2)], { pages: 1 }],
    ['grows while there are more', [one('1', 2, 2), one('2', 3, 3), one('3', 3, 3)], { pages: 3 }],
    ['shrinks', [one('1', 3, 3), one('2', 2, 2)], { pages: 2, totalCount: 2 }],
    ['counts the same on every page', [one('1', 2, 2), one('2', 2, 2)], unchanged],
    ['counts more on the second page', [one('1', 2, 2), one('2', 2, 3)], { changedWhileReading: true }],
    ['ends with an empty page', [one('1', 2, 2), pageOf([], 1, 1)], { ...counted(0, 0, 0), totalCount: 1 }],
    ['repeats a page', [FIRST, second(['1'], ['2']), THIRD], counted(2, 0, 2)],
    ['repeats a record', [FIRST, second(['2'], ['4']), THIRD], counted(1, 0, 1)],
    ['repeats it with other figures', [FIRST, second(['2', 'USD', 7], ['4']), THIRD], counted(1, 1, 1)],
    ['misses a record', [FIRST, second(['3']), THIRD], counted(0, 0, 1)],
    ['has one too many', [FIRST, SECOND, pageOf([recordOf('5'), recordOf('6')], 3, 5)], counted(0, 0, -1)],
    ['counts too few pages', [FIRST, SECOND].map((page) => ({ ...page, pageCount: 2 })), counted(0, 0, 1)],
    ['ends before its last page', [FIRST, second()], counted(0, 0, 3)],
    ['counts other pages', [FIRST, SECOND, { ...THIRD, pageCount: 4 }, pageOf([], 4, 5)], counted(0, 0, 0)],
    ['clamps the size of later pages', [FIRST, { ...SECOND, perPage: 1 }, THIRD], counted(0, 0, 0)],
    ['counts extra pages', [...FIVE, pageOf([], 3, 5)].map((page) => ({ ...page, pageCount: 4 })), unchanged],
    ['counts nothing', [pageOf([recordOf('1')], 0, 0)], { pages: 1, ...counted(0, 0, 0), ...unchanged }],
    [
      'numbers its only page 0',
      [{ ...pageOf([recordOf('1')], 0, 0), currentPage: 0 }],
      { pages: 1, ...unchanged },
    ],
    ['counts nothing and has many pages', UNCOUNTED, { pages: 3, records: 5, ...unchanged }],
    [
      'counts nothing and repeats its last page',
      [...UNCOUNTED.slice(0, 2), UNCOUNTED[1]!],
      { pages: 2, records: 4 },
    ],
    [
      'answers its last page for a page beyond',
      [FIRST, SECOND, { ...pageOf([recordOf('3'), recordOf('4')], 2, 4), currentPage: 2 }],
      { pages: 2, records: 4, changedWhileReading: true },
    ],
  ])('reports the completeness of a report that %s', async (_, pages, expected) => {
    const { replies, failure } = await read(pages);
    expect(failure).toBeUndefined();
    expect(completedOf(replies)).toMatchObject(expected);
    expect(pagesOf(replies).map(({ page }) => page)).toEqual(
      Array.from({ length: completedOf(replies)!.pages }, (_none, index) => index + 1),
    );
  });

  it.each([
    ['2026-01-31T12:07:59.999Z', '2026-01-31T12:09:59.999Z', false],
    ['2026-01-31T12:08:00.000Z', '2026-01-31T12:10:00.000Z', true],
  ])('reports whether the read spans two platform intervals: from %s to %s', async (from, to, spans) => {
    const { replies } = await read(FIVE, { fromMs: Date.parse(from) });
    expect(completedOf(replies)).toMatchObject({ readFrom: from, readTo: to, spansIntervals: spans });
  });

  it('reads only the page and the page size that the command names', async () => {
    const { requests, replies } = await read(FIVE, { data: { page: 2, perPage: 7 } });
    expect(requests).toEqual([{ page: 2, perPage: 7 }]);
    expect(pagesOf(replies)).toMatchObject([{ page: 2, pageCount: 3 }]);
    expect(completedOf(replies)).toMatchObject({
      pages: 1,
      records: 2,
      totalCount: 5,
      missing: 0,
      ...unchanged,
    });
  });

  it.each<[string, readonly (PageFacts | undefined)[], object, number]>([
    ['a page fails', [FIRST, undefined], { code: 'PLATFORM_UNAVAILABLE' }, 1],
    [
      'another page is answered',
      [FIRST, { ...FIRST, currentPage: 1 }, THIRD],
      {
        code: 'PLATFORM_PROTOCOL_ERROR',
        details: { reason: '/meta/current-page is 1, and page 2 was requested' },
      },
      1,
    ],
    ...['grows', 'repeats itself'].map((how): [string, PageFacts[], object, number] => [
      `it has no end and ${how}`,
      Array.from({ length: 1_000 }, (_, index) =>
        how === 'grows' ? one(`${index}`, index + 2, index + 2) : one('1', index + 2, 3),
      ),
      {
        code: 'PLATFORM_PROTOCOL_ERROR',
        details: { reason: expect.stringMatching(/^the report has no end/) },
      },
      2 * 2 + 100,
    ]),
  ])('publishes the preceding pages and then fails if %s', async (_, pages, expected, published) => {
    const { asked, replies, failure } = await read(pages);
    expect(failure).toMatchObject(expected);
    expect(pagesOf(replies)).toHaveLength(published);
    // The first page reports three pages in all, so at most two are fetched ahead.
    expect(asked.length).toBeLessThanOrEqual(published + 2);
    expect(completedOf(replies)).toBeUndefined();
  });

  it.each([
    ['small ones up to six', {}, [7, 8, 9, 9]],
    ['one of 500 records', { identities: Array.from({ length: 500 }, (_, id) => `${id} USD`) }, [2, 3, 4, 5]],
    ['none after a large one', { isLarge: true }, [1, 2, 3, 4]],
  ])('fetches the next pages while one is published: %s', async (_, facts, expected) => {
    const asked: number[] = [];
    const fetch = async ({ page }: PageRequest): Promise<CollectionPage> => {
      asked.push(page);
      return { currentPage: page, ...one(`${page}`, 9, 9), ...facts };
    };
    const seen: number[] = [];
    for await (const { type } of readReport('rake', PERIOD, { progress: undefined }, PER_PAGE, fetch)) {
      await new Promise((resolve) => setImmediate(resolve));
      if (type === 'report.page') seen.push(asked.length);
    }
    expect(seen.slice(0, 4)).toEqual(expected);
  });
});

describe('readReport, resumed', () => {
  it('continues with the next page in the original page size, and reports totals of both runs', async () => {
    const { command } = await read([FIRST, undefined]);
    const later = { progress: command.progress, perPage: 50, fromMs: Date.parse('2026-01-31T12:35:00Z') };
    const { requests, replies, command: resumed } = await read(FIVE, later);
    expect(requests).toEqual([2, 3].map((page) => ({ page, perPage: 2 })));
    expect(pagesOf(replies).map(({ page }) => page)).toEqual([2, 3]);
    const { replies: again } = await read([], { progress: resumed.progress });
    const ofBoth = { readFrom: '2026-01-31T12:05:00.000Z', readTo: '2026-01-31T12:36:00.000Z' };
    for (const said of [replies, again]) {
      const counts = { pages: 3, records: 5, spansIntervals: true, ...unchanged };
      expect(completedOf(said)).toMatchObject({ ...ofBoth, ...counts });
    }
  });

  it('lists the faults of a page in the run that read it, and counts the faults of all runs', async () => {
    const faults = [{ pointer: '/records/0/win', message: 'is not an integer' }];
    const odd = FIVE.map((page, index) => (index === 2 ? page : { ...page, faults, faultCount: 2 }));
    const { command, replies: first } = await read([odd[0], undefined]);
    const { replies: next } = await read(odd, { progress: command.progress });
    expect(pagesOf([...first, ...next]).map((page) => page.faults)).toEqual([faults, faults, undefined]);
    expect(completedOf(next)).toMatchObject({ faults: 4 });
  });

  it('includes repeated records of the earlier run', async () => {
    const { command } = await read([FIRST, second(['1', 'USD', 7], ['2']), undefined]);
    const { replies } = await read(FIVE, { progress: command.progress });
    expect(completedOf(replies)).toMatchObject({ pages: 3, records: 5, ...counted(2, 1, 2) });
  });

  it('does not count a page before it is published', async () => {
    const command: { progress: Progress } = { progress: undefined };
    const pages = readReport('rake', PERIOD, command, PER_PAGE, ({ page }) =>
      Promise.resolve({ ...one(String(page), 2, 2), currentPage: page }),
    );
    await pages.next();
    expect(command.progress).toBeUndefined();
    await pages.next();
    expect(command.progress).toMatchObject({ pages: 1, records: 1 });
  });

  it.each([{ records: 1.5 }, { readTo: undefined }])('restarts on invalid progress: %j', async (changed) => {
    const { command } = await read([FIRST, undefined]);
    const { asked } = await read(FIVE, { progress: { ...command.progress, ...changed } as Progress });
    expect(asked).toEqual([1, 2, 3]);
  });
});
