import { describe, expect, it } from '@jest/globals';

import { type DeadlineSource, readDeadline } from './read-deadline.ts';

const NOW_MS = Date.UTC(2026, 0, 31, 12);
const BUDGET_MS = 15_000;
const LATEST_MS = NOW_MS + 20 * 60 * 1000;
const IN_A_MINUTE_MS = NOW_MS + 60_000;

const read = (source: Partial<DeadlineSource>) =>
  readDeadline({ header: undefined, timestamp: undefined, budgetMs: BUDGET_MS, nowMs: NOW_MS, ...source });

describe('readDeadline', () => {
  it.each([
    ['ISO 8601 in UTC', '2026-01-31T12:01:00Z'],
    ['with milliseconds', '2026-01-31T12:01:00.000Z'],
    ['with more digits than a Date has', '2026-01-31T12:01:00.000999Z'],
    ['with an offset', '2026-01-31T14:01:00+02:00'],
    ['with an offset in the west', '2026-01-31T08:31:00-03:30'],
    ['with an offset without a colon', '2026-01-31T14:01:00+0200'],
    ['without seconds', '2026-01-31T12:01Z'],
    ['epoch milliseconds as a string', String(IN_A_MINUTE_MS)],
    ['epoch milliseconds as an integer', IN_A_MINUTE_MS],
  ])('reads %s', (_, header) => {
    expect(read({ header })).toBe(IN_A_MINUTE_MS);
  });

  it.each([
    ['without a zone', '2026-01-31T12:01:00'],
    ['a date alone', '2026-01-31'],
    ['a month that does not exist', '2026-13-01T12:00:00Z'],
    ['a day that does not exist', '2026-02-30T12:00:00Z'],
    ['a minute that does not exist', '2026-01-31T12:60:00Z'],
    ['an offset that does not exist', '2026-01-31T12:00:00+25:00'],
    ['the date of a mail', 'Sat, 31 Jan 2026 12:01:00 GMT'],
    ['a word', 'tomorrow'],
    ['nothing', ''],
    ['blanks', ' '],
    ['a fraction as a string', '1769860860000.5'],
    ['a fraction', IN_A_MINUTE_MS + 0.5],
    ['an exponent', '1e12'],
    ['hexadecimal', '0x1'],
    ['more than a safe integer', 2 ** 63],
    ['no number', Number.NaN],
    ['a boolean', true],
    ['an AMQP timestamp', { '!': 'timestamp', value: 1_769_860_860 }],
    ['a list', [IN_A_MINUTE_MS]],
    ['blanks around it', ` ${IN_A_MINUTE_MS} `],
    ['two lines', '2026-01-31T12:01:00Z\n'],
  ])('cannot read %s', (_, header) => {
    expect(read({ header })).toBeUndefined();
  });

  it.each([
    ['a header in ISO 8601', { header: '2027-01-01T00:00:00Z' }],
    ['a header in milliseconds', { header: LATEST_MS + 1 }],
    ['a header of many digits', { header: '9999999999999999' }],
    ['a budget', { budgetMs: 20 * 60 * 1000 + 1 }],
  ])('caps %s at 20 minutes from receipt', (_, source) => {
    expect(read(source)).toBe(LATEST_MS);
  });

  it('lets 20 minutes stand to the millisecond', () => {
    expect(read({ header: LATEST_MS - 1 })).toBe(LATEST_MS - 1);
  });

  it.each([
    ['a moment that has passed', '2026-01-31T11:00:00Z', NOW_MS - 3_600_000],
    ['the epoch', 0, 0],
  ])('takes %s as it is', (_, header, expected) => {
    expect(read({ header })).toBe(expected);
  });

  it.each([
    ['no header', undefined],
    ['an empty value', null],
  ])("gives the lane's budget from receipt if there is %s", (_, header) => {
    expect(read({ header })).toBe(NOW_MS + BUDGET_MS);
  });

  it.each([
    ['from the moment of sending', NOW_MS / 1000 - 10, NOW_MS - 10_000 + BUDGET_MS],
    ['which may be over', NOW_MS / 1000 - 60, NOW_MS - 60_000 + BUDGET_MS],
    ['from receipt if that lies in the future', NOW_MS / 1000 + 1, NOW_MS + BUDGET_MS],
    ['from receipt if that is given in milliseconds', NOW_MS, NOW_MS + BUDGET_MS],
    ['from receipt if that is no number', 'yesterday', NOW_MS + BUDGET_MS],
  ])("gives the lane's budget %s", (_, timestamp, expected) => {
    expect(read({ timestamp })).toBe(expected);
  });

  it('asks the header first, and the timestamp not at all then', () => {
    expect(read({ header: IN_A_MINUTE_MS, timestamp: NOW_MS / 1000 - 600 })).toBe(IN_A_MINUTE_MS);
    expect(read({ header: 'tomorrow', timestamp: NOW_MS / 1000 })).toBeUndefined();
  });
});
