import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { readDeadline } from './read-deadline.ts';

const NOW_MS = Date.UTC(2026, 0, 31, 12);
const BUDGET_MS = 15_000;
const LATEST_MS = NOW_MS + 20 * 60 * 1000;
const IN_A_MINUTE_MS = NOW_MS + 60_000;

const read = (header?: unknown, timestamp?: unknown, budgetMs = BUDGET_MS) => {
  const found = readDeadline(header, timestamp, budgetMs, NOW_MS);
  return 'atMs' in found ? found.atMs : found.rule;
};
const UNREADABLE = 'ISO 8601 with a zone, or epoch milliseconds';

describe('readDeadline', () => {
  it.each([
    '2026-01-31T12:01:00Z',
    '2026-01-31T12:01:00.000999Z',
    '2026-01-31T08:31:00-03:30',
    '2026-01-31T14:01:00+0200',
    '2026-01-31T14:01:00+02',
    '2026-01-31T12:01Z',
    String(IN_A_MINUTE_MS),
    IN_A_MINUTE_MS,
  ])('reads %j', (header) => {
    expect(read(header)).toBe(IN_A_MINUTE_MS);
    // The timestamp is ignored in that case.
    expect(read(header, NOW_MS / 1000 - 600)).toBe(IN_A_MINUTE_MS);
  });

  it.each([
    '2026-01-31T12:01:00',
    '2026-01-31',
    '2026-13-01T12:00:00Z',
    '2026-02-30T12:00:00Z',
    '2026-01-31T12:60:00Z',
    '2026-01-31T12:00:00+25:00',
    'Sat, 31 Jan 2026 12:01:00 GMT',
    '',
    '1769860860000.5',
    IN_A_MINUTE_MS + 0.5,
    '1e12',
    2 ** 63,
    Number.NaN,
    true,
    { '!': 'timestamp', value: 1_769_860_860 },
    [IN_A_MINUTE_MS],
    ` ${IN_A_MINUTE_MS} `,
    '2026-01-31T12:01:00Z\n',
  ])('cannot read %j', (header) => {
    expect(read(header)).toBe(UNREADABLE);
  });

  it.each([
    ['2027-01-01T00:00:00Z', LATEST_MS],
    [LATEST_MS + 1, LATEST_MS],
    [LATEST_MS - 1, LATEST_MS - 1],
    ['2026-01-31T11:00:00Z', NOW_MS - 3_600_000],
    ['1970-01-01T00:00:00Z', 1e11],
  ])('caps %j at 20 minutes from receipt, and takes what has passed as it is', (header, expected) => {
    expect(read(header)).toBe(expected);
  });

  it.each([
    [NOW_MS / 1000, `is probably in seconds, and the moment is ${NOW_MS}`],
    [1e11 - 1, 'is probably in seconds, and the moment is 99999999999000'],
    [15_000, 'is probably a duration, and the moment is the present time plus 15000'],
    [0, 'is probably a duration, and the moment is the present time plus 0'],
    [-1, 'is probably a duration, and the moment is the present time plus -1'],
  ])('says what was probably meant by the number %d', (number, meant) => {
    for (const header of [number, String(number)])
      expect(read(header)).toBe(`epoch milliseconds: ${number} ${meant}`);
  });

  it('reads timestamps in milliseconds like those in seconds, and rejects deadlines in other units', () => {
    const seconds = fc.integer({ min: 1e9, max: 4e9 });
    fc.assert(
      fc.property(seconds, (at) => {
        expect(read(undefined, at * 1000)).toBe(read(undefined, at));
        expect(read(at)).toContain(String(at * 1000));
        expect(read(at * 1000)).toBe(Math.min(at * 1000, LATEST_MS));
      }),
    );
  });

  it('caps a longer budget as well', () => {
    expect(read(undefined, undefined, 20 * 60 * 1000 + 1)).toBe(LATEST_MS);
  });

  it.each([
    ['from receipt without a timestamp', undefined, NOW_MS + BUDGET_MS],
    ['from the moment of sending, and may be over', NOW_MS / 1000 - 60, NOW_MS - 60_000 + BUDGET_MS],
    ['from receipt if the timestamp is in the future', NOW_MS / 1000 + 1, NOW_MS + BUDGET_MS],
    ['from the moment of sending in milliseconds', NOW_MS - 60_000, NOW_MS - 60_000 + BUDGET_MS],
    ['from receipt if the timestamp is in the future in milliseconds', NOW_MS + 1, NOW_MS + BUDGET_MS],
    ['from receipt if the timestamp is no number', 'yesterday', NOW_MS + BUDGET_MS],
  ])("counts the lane's budget %s without a header", (_, timestamp, expected) => {
    for (const header of [undefined, null]) expect(read(header, timestamp)).toBe(expected);
  });
});
