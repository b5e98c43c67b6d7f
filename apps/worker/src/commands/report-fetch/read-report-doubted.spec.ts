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
    [
      'repeats a page in another order',
      [FIRST, { ...asFirst, ...holding([recordOf('2'), recordOf('1')]) }, THIRD],
      [2, 0, 2],
    ],
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

  it('takes records of one id in other currencies for others', async () => {
    const records = [recordOf('1', 'USD'), recordOf('1', 'EUR')];
    const { replies } = await read([pageOf(records, 1, 2)]);
    expect(completedOf(replies)).toMatchObject({ records: 2, changedWhileReading: false });
  });

  it.each([
    ['a report', {}, [1, 2], 1],
    ['a single page', { page: 2 }, [2], 0],
  ])(
    'fails %s for which it answers another page than the one requested',
    async (_, data, expected, published) => {
      const { asked, replies, failure } = await read([FIRST, { ...FIRST, currentPage: 1 }, THIRD], { data });
      expect(failure).toMatchObject({
        code: 'PLATFORM_PROTOCOL_ERROR',
        details: { reason: '/meta/current-page is 1, and page 2 was requested' },
      });
      expect(asked).toEqual(expected);
      expect(pagesOf(replies)).toHaveLength(published);
    },
  );

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

  it('says when a page was answered, however long the one before it was published', async () => {
    let nowMs = 0;
    const fetch = ({ page }: PageRequest): Promise<CollectionPage> =>
      Promise.resolve({ currentPage: page, ...FIVE[page - 1]! });
    const times: unknown[] = [];
    const command = { progress: undefined };
    const replies = readReport('rake', PERIOD, command, PER_PAGE, fetch, 0, () => nowMs);
    for await (const reply of replies) {
      await new Promise((resolve) => setImmediate(resolve));
      nowMs += 1_000;
      times.push('readAt' in reply.data ? reply.data.readAt : reply.type);
    }
    const [start, later] = ['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:01.000Z'];
    expect(times).toEqual([start, start, later, 'report.completed']);
  });
});
