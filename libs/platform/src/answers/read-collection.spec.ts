import { setImmediate as turn } from 'node:timers/promises';

import { expect, it } from '@jest/globals';

import { readCollection } from './read-collection.ts';
import { RAKE_RECORD } from './record-shapes.ts';

const RECORDS = 1_000;

/** A page whose record at `broken` has no id. */
function pageOf(broken = -1): string {
  const data = Array.from({ length: RECORDS }, (_, index) => ({
    type: 'players-rake',
    id: index === broken ? '' : String(index),
    attributes: { 'user-id': `u-${index}`, currency: 'USD', value: index },
  }));
  const meta = { 'total-count': RECORDS, 'page-count': 1, 'current-page': 1, 'per-page': RECORDS };
  return JSON.stringify({ data, meta });
}

it('reads the records of a page in order, and leaves the event loop to others between slices', async () => {
  let turns = 0;
  let isRead = false;
  const page = readCollection(() => pageOf(), RAKE_RECORD, 'strict').finally(() => (isRead = true));
  for (; !isRead; turns += 1) await turn();
  expect(turns).toBeGreaterThanOrEqual(10);
  const { records } = await page;
  expect(records.map(({ id, value }) => [id, value])).toEqual(
    Array.from({ length: RECORDS }, (_, index) => [String(index), index]),
  );
});

it('names the record that is wrong, in whichever slice', async () => {
  await expect(readCollection(() => pageOf(950), RAKE_RECORD, 'strict')).rejects.toThrow(
    '/data/950/id is not a non-empty string',
  );
});
