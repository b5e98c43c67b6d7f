import { describe, expect, it } from '@jest/globals';

import type { ReportPage, ReportRecord } from '#contracts';

import { type KeptReading, Reading } from './reading.ts';

const record = (id: string, value: unknown = 1): ReportRecord => ({
  id,
  userId: 'p',
  currency: 'EUR',
  value,
});
const page = (number: number, records: ReportRecord[], extent: Partial<ReportPage> = {}): ReportPage => ({
  report: 'rake',
  page: number,
  pageCount: 2,
  perPage: 2,
  totalCount: 3,
  precisions: { EUR: 2 },
  readAt: '2026-03-02T00:20:00.120Z',
  records,
  ...extent,
});
/** As a later run finds it. */
const keptOf = (reading: Reading): Reading => new Reading(JSON.parse(JSON.stringify(reading)) as KeptReading);

describe('Reading', () => {
  const [first, second] = [page(1, [record('a'), record('b', 1.5)]), page(2, [record('c', 2n ** 60n)])];

  it('goes on as if it had never been interrupted', () => {
    const [whole, begun] = [new Reading(), new Reading()];
    whole.add(first);
    whole.add(second);
    begun.add(first);
    const resumed = keptOf(begun);
    expect([resumed.pages, resumed.records, resumed.total, resumed.perPage]).toEqual([1, 2, 3, 2]);
    resumed.add(second);
    expect(JSON.stringify(resumed)).toBe(JSON.stringify(whole));
    expect([resumed.hasChanged, resumed.isAtEnd]).toEqual([false, true]);
  });

  it.each([
    ['another total', page(2, [record('c')], { totalCount: 4 })],
    ['another number of pages', page(2, [record('c')], { pageCount: 3 })],
    ['pages of another size', page(2, [record('c')], { perPage: 3 })],
  ])('has changed with %s', (_, next) => {
    const reading = new Reading();
    reading.add(first);
    const resumed = keptOf(reading);
    resumed.add(next);
    expect(resumed.hasChanged).toBe(true);
  });

  it('knows its end, which may move', () => {
    const reading = new Reading();
    expect(reading.isAtEnd).toBe(false);
    reading.add(first);
    expect(keptOf(reading).isAtEnd).toBe(false);
    reading.add(page(2, [record('c')], { pageCount: 3 }));
    expect(keptOf(reading).isAtEnd).toBe(false);
    reading.add(page(3, [record('d')], { pageCount: 3 }));
    expect(keptOf(reading).isAtEnd).toBe(true);
  });

  it('has no end once there are far more pages than there were', () => {
    const reading = new Reading();
    for (let number = 1; number <= 104; number += 1) reading.add(page(number, [], { pageCount: number + 1 }));
    expect(reading.isEndless).toBe(false);
    reading.add(page(105, [], { pageCount: 106 }));
    expect(reading.isEndless).toBe(true);
  });
});
