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

  it('finds a change between the runs', async () => {
    const { command } = await read([FIVE[0], undefined]);
    const later = [undefined, pageOf([recordOf('3')], 2, 3)];
    const { replies } = await read(later, { progress: command.progress });
    expect(completedOf(replies)).toMatchObject({ totalCount: 3, changedWhileReading: true });
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
    ['negative', { pages: -1 }],
    ['no integer', { records: 1.5 }],
    ['incomplete', { readTo: undefined }],
    ['no number', { firstTotal: true }],
  ])('starts again if a count of the progress is %s', async (_, changed) => {
    const { command } = await read([FIVE[0], undefined]);
    const { asked } = await read(FIVE, { progress: { ...command.progress, ...changed } as Progress });
    expect(asked).toEqual([1, 2, 3]);
  });
});
