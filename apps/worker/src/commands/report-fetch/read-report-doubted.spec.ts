import { describe, expect, it } from '@jest/globals';

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
  read,
  recordOf,
} from './read-report.fixture.ts';
import { readReport } from './read-report.ts';

const [FIRST, SECOND, THIRD] = FIVE as [PageFacts, PageFacts, PageFacts];
const [CHANGED, UNCHANGED] = [7, 1].map((win) => holding([recordOf('2', 'USD', win), recordOf('4')]));
const asFirst = { ...SECOND, ...holding([recordOf('1'), recordOf('2')]) };

describe('readReport, of a platform that is not to be trusted', () => {
  it.each([
    ['repeats a page', [FIRST, asFirst, THIRD], [2, 0, 2]],
    ['repeats a record and misses another', [FIRST, { ...SECOND, ...UNCHANGED }, THIRD], [1, 0, 1]],
    ['repeats a record with other figures', [FIRST, { ...SECOND, ...CHANGED }, THIRD], [1, 1, 1]],
    ['misses a record', [FIRST, { ...SECOND, ...holding([recordOf('3')]) }, THIRD], [0, 0, 1]],
    [
      'has a record too many',
      [FIRST, SECOND, { ...THIRD, ...holding([recordOf('5'), recordOf('6')]) }],
      [0, 0, -1],
    ],
    [
      'counts too few pages',
      [
        { ...FIRST, pageCount: 2 },
        { ...SECOND, pageCount: 2 },
      ],
      [0, 0, 1],
    ],
    ['ends before its last page', [FIRST, { ...SECOND, ...holding([]) }], [0, 0, 3]],
    [
      'counts other pages from one to the next',
      [FIRST, SECOND, { ...THIRD, pageCount: 4 }, pageOf([], 4, 5)],
      [0, 0, 0],
    ],
    ['clamps the size of later pages', [FIRST, { ...SECOND, perPage: 1 }, THIRD], [0, 0, 0]],
  ])(
    'says that a report of one that %s may not be whole, and counts why',
    async (_, pages, [repeated, changed, missing]) => {
      const { replies, failure } = await read(pages);
      expect(failure).toBeUndefined();
      expect(completedOf(replies)).toMatchObject({ changedWhileReading: true, repeated, changed, missing });
    },
  );

  it('does not mind one that clamps the size of all pages, or counts a page too many', async () => {
    const whole = { ...FIRST, perPage: 2 };
    const { replies } = await read([whole, SECOND, THIRD], { data: { perPage: 1_000 } });
    expect(completedOf(replies)).toMatchObject({ pages: 3, changedWhileReading: false });
    const four = [FIRST, SECOND, THIRD, { ...THIRD, ...holding([]) }].map((page) => ({
      ...page,
      pageCount: 4,
    }));
    expect(completedOf((await read(four)).replies)).toMatchObject({ pages: 3, changedWhileReading: false });
  });

  it('fails a report for which it answers another page than the one requested', async () => {
    const { asked, replies, failure } = await read([FIRST, { ...FIRST, currentPage: 1 }, THIRD]);
    const details = { reason: '/meta/current-page is 1, and page 2 was requested' };
    expect(failure).toMatchObject({ code: 'PLATFORM_PROTOCOL_ERROR', details });
    expect(asked).toEqual([1, 2]);
    expect(pagesOf(replies)).toHaveLength(1);
  });

  it.each([
    ['its total grows', (page: number) => pageOf([recordOf(String(page))], page + 1, page + 1)],
    ['it repeats its last page', (page: number) => pageOf([recordOf('1')], page + 1, 3)],
  ])('fails a report that never ends: %s', async (_, answer) => {
    const pages = Array.from({ length: 1_000 }, (_none, index) => answer(index + 1));
    const { asked, failure } = await read(pages);
    expect(failure).toMatchObject({
      code: 'PLATFORM_PROTOCOL_ERROR',
      details: { reason: expect.stringMatching(/^the report has no end/) },
    });
    expect(asked).toHaveLength(2 * 2 + 100 + 1);
  });

  it('fetches one page while the one before it is published, and no further one', async () => {
    const asked: number[] = [];
    const fetch = async ({ page }: PageRequest): Promise<CollectionPage> => {
      asked.push(page);
      return { currentPage: page, ...FIVE[page - 1]! };
    };
    const replies = readReport('rake', PERIOD, { progress: undefined }, PER_PAGE, fetch);
    const seen: number[][] = [];
    for await (const reply of replies) {
      await new Promise((resolve) => setImmediate(resolve));
      if (reply.type === 'report.page') seen.push([...asked]);
    }
    expect(seen).toEqual([
      [1, 2],
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });
});
