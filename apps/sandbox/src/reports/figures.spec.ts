import { describe, expect, it } from '@jest/globals';
import { FIGURE_NAMES, figuresOf, MONEY_TYPES, rakeOf, weightedSteps } from './figures.ts';

const day = { day: 19_806, steps: 144 };
const ranks = [0, 1, 2, 50, 5000, 5_000_000];
const records = ranks.flatMap((rank) => MONEY_TYPES.map((moneyType) => ({ rank, moneyType })));
const big = (value: number | bigint) => BigInt(value);

describe('figures', () => {
  it.each(records)('of rank $rank and money type $moneyType agree with each other', ({ rank, moneyType }) => {
    const figures = figuresOf({ rank, seed: 1 }, moneyType, day);
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
  });

  it.each(records)('of rank $rank and money type $moneyType add up over the day', ({ rank, moneyType }) => {
    const of = (steps: number) => figuresOf({ rank, seed: 1 }, moneyType, { ...day, steps });
    for (const name of FIGURE_NAMES) expect(big(of(100)[name]) + big(of(44)[name])).toBe(big(of(144)[name]));
  });

  it('are the same for the same account, and differ by seed, day and account', () => {
    const figures = JSON.stringify(figuresOf({ rank: 7, seed: 1 }, 1, day));
    expect(JSON.stringify(figuresOf({ rank: 7, seed: 1 }, 1, day))).toBe(figures);
    expect(JSON.stringify(figuresOf({ rank: 7, seed: 2 }, 1, day))).not.toBe(figures);
    expect(JSON.stringify(figuresOf({ rank: 7, seed: 1 }, 1, { ...day, day: day.day + 7 }))).not.toBe(
      figures,
    );
    expect(JSON.stringify(figuresOf({ rank: 1007, seed: 1 }, 1, day))).not.toBe(figures);
  });

  it('exceed 2^53 in the first accounts', () => {
    const amounts = Object.values(figuresOf({ rank: 0, seed: 1 }, 2, day)).map(big);
    expect(amounts.some((amount) => BigInt(Number(amount)) !== amount)).toBe(true);
  });
});

describe('rake', () => {
  it.each(ranks)('of rank %s is the sum of its records', (rank) => {
    const days = [day, { day: day.day + 1, steps: 10 }];
    const steps = days.reduce((sum, part) => sum + weightedSteps(part), 0);
    const sum = days
      .flatMap((part) => MONEY_TYPES.map((moneyType) => figuresOf({ rank, seed: 1 }, moneyType, part)))
      .reduce((total, figures) => total + big(figures.rake) + big(figures['tournament-fee']), 0n);
    expect(big(rakeOf(rank, steps))).toBe(sum);
  });

  it('never rises with the rank', () => {
    const rakes = Array.from({ length: 20_000 }, (_, rank) => big(rakeOf(rank, 144)));
    expect(rakes.every((rake, rank) => rank === 0 || rake <= (rakes[rank - 1] as bigint))).toBe(true);
  });
});
