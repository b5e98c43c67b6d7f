import { describe, expect, it } from '@jest/globals';

import {
  completedOf,
  FIVE,
  holding,
  pageOf,
  pagesOf,
  PER_PAGE,
  PERIOD,
  type Progress,
  read,
  recordOf,
} from './read-report.fixture.ts';
import { readReport } from './read-report.ts';

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
    expect(replies.at(-1)).toEqual({ type: 'report.completed', data: completed });
    expect(replies).toHaveLength(4);
  });

  it.each([
    ['counts no page', pageOf([], 0, 0)],
    ['counts one page', pageOf([], 1, 0)],
  ])('answers an empty report with its completion only, if the platform %s', async (_, empty) => {
    const { asked, replies } = await read([empty]);
    expect(asked).toEqual([1]);
    expect(replies).toEqual([{ type: 'report.completed', data: EMPTY }]);
  });

  it.each([
    ['2026-01-31T12:07:59.999Z', '2026-01-31T12:09:59.999Z', false],
    ['2026-01-31T12:08:00.000Z', '2026-01-31T12:10:00.000Z', true],
  ])('says whether it was read in two intervals of the platform: from %s to %s', async (from, to, spans) => {
    const { replies } = await read(FIVE, { fromMs: Date.parse(from) });
    expect(completedOf(replies)).toMatchObject({ readFrom: from, readTo: to, spansIntervals: spans });
  });

  it('reads only the page that the command names', async () => {
    const { asked, replies } = await read(FIVE, { data: { page: 2 } });
    expect(asked).toEqual([2]);
    expect(pagesOf(replies)).toMatchObject([{ page: 2, pageCount: 3 }]);
    const counts = { pages: 1, records: 2, totalCount: 5, changedWhileReading: false, missing: 0 };
    expect(completedOf(replies)).toMatchObject(counts);
  });

  it('requests pages of the size that the command names, if it names one', async () => {
    const { requests } = await read(FIVE, { data: { perPage: 7 } });
    expect(requests.map((request) => request.perPage)).toEqual([7, 7, 7]);
  });

  it.each([
    ['grows', [pageOf([recordOf('1')], 1, 1), pageOf([recordOf('2')], 2, 2)], [1], 1],
    [
      'grows while there are more',
      [pageOf([recordOf('1')], 2, 2), pageOf([recordOf('2')], 3, 3), pageOf([recordOf('3')], 3, 3)],
      [1, 2, 3],
      3,
    ],
    ['shrinks', [pageOf([recordOf('1')], 3, 3), pageOf([recordOf('2')], 2, 2)], [1, 2], 2],
  ])('follows the number of pages of a report that %s', async (_, pages, expected, published) => {
    const { asked, replies } = await read(pages);
    expect(asked).toEqual(expected);
    expect(completedOf(replies)).toMatchObject({ pages: published });
  });

  it.each([
    ['every page', [pageOf([recordOf('1')], 2, 2), pageOf([recordOf('2')], 2, 2)], false],
    ['the second page', [pageOf([recordOf('1')], 2, 2), pageOf([recordOf('2')], 2, 3)], true],
    ['an empty page at the end', [pageOf([recordOf('1')], 2, 2), pageOf([], 1, 1)], true],
  ])('compares the totals of all pages: %s', async (_, pages, changedWhileReading) => {
    const { replies } = await read(pages);
    expect(completedOf(replies)).toMatchObject({ changedWhileReading, totalCount: pages.at(-1)?.totalCount });
  });

  it('does not publish the last page twice, if the platform answers it for a page beyond', async () => {
    const shrunk = { ...pageOf([recordOf('3'), recordOf('4')], 2, 4), currentPage: 2 };
    const { replies } = await read([...FIVE.slice(0, 2), shrunk]);
    expect(pagesOf(replies).map(({ page }) => page)).toEqual([1, 2]);
    expect(completedOf(replies)).toMatchObject({ pages: 2, records: 4, changedWhileReading: true });
  });

  it('fails like a page that fails, after those before it', async () => {
    const { replies, failure } = await read([FIVE[0], undefined]);
    expect(failure).toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
    expect(pagesOf(replies)).toHaveLength(1);
    expect(completedOf(replies)).toBeUndefined();
  });
});

describe('readReport, resumed', () => {
  it('continues after the pages of an earlier run, and reports on both', async () => {
    const { command } = await read([FIVE[0], undefined]);
    const { asked, replies } = await read(FIVE, { progress: command.progress });
    expect(asked).toEqual([2, 3]);
    expect(pagesOf(replies).map((each) => each.page)).toEqual([2, 3]);
    expect(completedOf(replies)).toMatchObject({ pages: 3, records: 5, changedWhileReading: false });
  });

  it('names the faults of each page in the run that read it, and counts those of all runs', async () => {
    const faults = [{ pointer: '/records/0/win', message: 'is not an integer' }];
    const odd = FIVE.map((page, index) => (index === 2 ? page : { ...page, faults, faultCount: 2 }));
    const { command, replies: first } = await read([odd[0], undefined]);
    const { replies: second } = await read(odd, { progress: command.progress });
    expect(pagesOf([...first, ...second]).map((page) => [page.page, page.faults])).toEqual([
      [1, faults],
      [2, faults],
      [3, undefined],
    ]);
    expect(completedOf(second)).toMatchObject({ faults: 4 });
  });

  it('says from when to when all runs read it', async () => {
    const { command } = await read([FIVE[0], undefined]);
    const later = { progress: command.progress, fromMs: Date.parse('2026-01-31T12:35:00Z') };
    const { replies, command: resumed } = await read(FIVE, later);
    const { replies: again } = await read([], { progress: resumed.progress });
    const ofBoth = { readFrom: '2026-01-31T12:05:00.000Z', readTo: '2026-01-31T12:36:00.000Z' };
    for (const said of [replies, again]) {
      expect(completedOf(said)).toMatchObject({ ...ofBoth, spansIntervals: true });
    }
  });

  it('requests pages of the same size as before, whatever the settings say now', async () => {
    const { command } = await read([FIVE[0], undefined]);
    const { requests } = await read(FIVE, { progress: command.progress, perPage: 50 });
    expect(requests).toEqual([
      { page: 2, perPage: 2 },
      { page: 3, perPage: 2 },
    ]);
  });

  it('remembers that records came twice before', async () => {
    const twice = [FIVE[0], { ...FIVE[1]!, ...holding([recordOf('1', 'USD', 7), recordOf('2')]) }, undefined];
    const { command } = await read(twice);
    const { replies } = await read(FIVE, { progress: command.progress });
    const counts = { repeated: 2, changed: 1, missing: 2 };
    expect(completedOf(replies)).toMatchObject({
      pages: 3,
      records: 5,
      changedWhileReading: true,
      ...counts,
    });
  });

  it('does not count a page before it was published', async () => {
    const command: { progress: Progress } = { progress: undefined };
    const pages = readReport('rake', PERIOD, command, PER_PAGE, ({ page }) =>
      Promise.resolve({ ...pageOf([recordOf(String(page))], 2, 2), currentPage: page }),
    );
    await pages.next();
    expect(command.progress).toBeUndefined();
    await pages.next();
    expect(command.progress).toMatchObject({ pages: 1, records: 1 });
  });

  it.each([
    ['no integer', { records: 1.5 }],
    ['incomplete', { readTo: undefined }],
  ])('starts again if a count of the progress is %s', async (_, changed) => {
    const { command } = await read([FIVE[0], undefined]);
    const { asked } = await read(FIVE, { progress: { ...command.progress, ...changed } as Progress });
    expect(asked).toEqual([1, 2, 3]);
  });
});
