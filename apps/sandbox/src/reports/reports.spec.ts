import { describe, expect, it } from '@jest/globals';

import { FIGURE_NAMES, figuresOf, MONEY_TYPES, rakeOf } from './figures.ts';
import { dateOf, daysOf, parseMoment, toUtc, zoneOf } from './report-query.ts';
import { joined, Population, type Sequence } from './population.ts';

const figuresDay = { day: 19_806, steps: 144 };
const ranks = [0, 1, 2, 50, 5000, 5_000_000];
const records = ranks.flatMap((rank) => MONEY_TYPES.map((moneyType) => ({ rank, moneyType })));
const big = (value: number | bigint) => BigInt(value);
const all = <T>({ length, at }: Sequence<T>) => Array.from({ length }, (_, position) => at(position) as T);

describe('figures', () => {
  it.each(records)(
    'are consistent with each other for rank $rank and money type $moneyType',
    ({ rank, moneyType }) => {
      const figures = figuresOf(1, rank, moneyType, figuresDay);
      const value = (name: (typeof FIGURE_NAMES)[number]) => big(figures[name]);
      expect(value('cash-result')).toBe(value('win') - value('loss'));
      expect(value('tournament-result')).toBe(
        value('tournament-prize') - value('tournament-bet') - value('tournament-fee'),
      );
      expect(value('rakeback')).toBe(value('rakeback-paid') + value('rakeback-unpaid'));
      expect(value('bets')).toBeGreaterThanOrEqual(value('win'));
      expect(value('rake')).toBeGreaterThan(0n);
      for (const amount of Object.values(figures))
        expect(typeof amount === 'bigint' || Number.isSafeInteger(amount)).toBe(true);
    },
  );

  it.each(records)('sum up over the day for rank $rank and money type $moneyType', ({ rank, moneyType }) => {
    const of = (steps: number) => figuresOf(1, rank, moneyType, { ...figuresDay, steps });
    for (const name of FIGURE_NAMES) expect(big(of(100)[name]) + big(of(44)[name])).toBe(big(of(144)[name]));
  });

  it('are the same for the same account, and differ by seed, day and account', () => {
    const figuresFor = (seed: number, rank: number, later = 0) =>
      JSON.stringify(figuresOf(seed, rank, 1, { ...figuresDay, day: figuresDay.day + later }));
    const figures = figuresFor(1, 7);
    expect(figuresFor(1, 7)).toBe(figures);
    for (const other of [figuresFor(2, 7), figuresFor(1, 7, 7), figuresFor(1, 1007)])
      expect(other).not.toBe(figures);
  });
});

it('have a rake that never increases with the rank', () => {
  const rakes = Array.from({ length: 20_000 }, (_, rank) => big(rakeOf(rank, 144)));
  expect(rakes.every((rake, rank) => rank === 0 || rake <= (rakes[rank - 1] as bigint))).toBe(true);
});

it.each([
  ['2024-02-28 12:00:00', '2024-03-01 00:10:00', '2024-02-28 72, 2024-02-29 144, 2024-03-01 1'],
  ['2024-03-24 00:09:59', '2024-03-24 00:19:59', '2024-03-24 1'],
  ['2024-03-24 00:11:00', '2024-03-24 00:19:59', ''],
  ['1969-12-31 00:00:00', '1970-01-01 00:00:00', '1969-12-31 144'],
])('the period from %s to %s has the steps of ten minutes of %s', (from, to, expected) => {
  const parts = all(daysOf(parseMoment(from) as number, parseMoment(to) as number));
  expect(parts.map(({ day, steps }) => `${dateOf(day)} ${steps}`).join(', ')).toBe(expected);
});

it.each([
  ['2024-03-24T00:00', '+03:00', '2024-03-23T21:00'],
  ['2024-03-24T00:00', '-0530', '2024-03-24T05:30'],
  ['2024-01-15T12:00', 'Europe/Berlin', '2024-01-15T11:00'],
  ['2024-07-15T12:00', 'Europe/Berlin', '2024-07-15T10:00'],
  ['2024-03-31T01:59', 'Europe/Berlin', '2024-03-31T00:59'],
  ['2024-03-31T03:00', 'Europe/Berlin', '2024-03-31T01:00'],
  ['2024-11-03T00:30', 'America/New_York', '2024-11-03T04:30'],
  ['2024-03-31T02:30', 'Europe/Berlin', undefined],
  ['2024-10-27T02:30', 'Europe/Berlin', '2024-10-27T01:30'],
])('%s in the time zone %s is %s', (wall, zone, expected) => {
  const ms = toUtc(Date.parse(`${wall}Z`), zoneOf(zone));
  expect(ms === undefined ? ms : new Date(ms).toISOString().slice(0, 16)).toBe(expected);
});

describe('population', () => {
  const names = (population: Population) =>
    all(population.select()).map(({ userId, currency }) => `${Number(userId.slice(-8))} ${currency}`);

  it('gives every player two currencies (one if only one exists), ordered by id and code', () => {
    const some = names(new Population(7, ['USD', 'EUR', 'GBP']));
    expect(some).toEqual(['1 EUR', '1 GBP', '2 GBP', '2 USD', '3 EUR', '3 USD', '4 EUR']);
    expect(names(new Population(2, ['USD']))).toEqual(['1 USD', '2 USD']);
  });

  it.each(['EUR', 'GBP', 'USD'])('selects and joins the accounts in %s, for every size', (currency) => {
    for (let size = 0; size < 30; size++) {
      const of = new Population(size, ['USD', 'EUR', 'GBP']);
      const everyone = all(of.select());
      const some = everyone.filter((account) => account.currency === currency);
      expect(all(joined(of.select(), of.select(currency)))).toEqual([...everyone, ...some]);
    }
  });
});
