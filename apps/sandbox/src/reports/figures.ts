import { seededRandom } from '../random.ts';
import type { DayPart } from './report-query.ts';

/**
 * Money types of the ad hoc report. The interface does not show what its codes mean; here 2 is play money.
 */
export const MONEY_TYPES = [1, 2] as const;

export type MoneyType = (typeof MONEY_TYPES)[number];

type FigureName = keyof ReturnType<typeof perStep>;

// players play more on Friday and Saturday; 1970-01-01 was a Thursday
const DAY_FACTORS = [8, 11, 14, 12, 7, 7, 7] as const;
// the rake of a record by its money type, as a multiple of its volume, which is its tournament fee
const RAKES = { 1: 3, 2: 1 } as const;

/**
 * The monetary amounts of an ad hoc record under the interface's names, in minor units, for one account and a
 * part of a day. They depend only on the arguments and are additive: two halves of a day sum to the whole
 * day. All steps of a day have the same amounts.
 * @param rank accounts with a lower rank play more
 */
export function figuresOf(seed: number, rank: number, moneyType: MoneyType, part: DayPart) {
  const volume = weight(rank) * dayFactor(part.day);
  const amounts = perStep(volume, moneyType, drawer(seed, rank, part.day, moneyType));
  const figures = {} as Record<FigureName, number>;
  for (const name of FIGURE_NAMES) figures[name] = amounts[name] * part.steps;
  return figures;
}

/** Returns the amounts of one step of ten minutes. @param draw a number from 0 up to a limit */
function perStep(volume: number, moneyType: MoneyType, draw: (limit: number) => number) {
  const rake = volume * RAKES[moneyType];
  const bets = rake * 20 + draw(rake);
  const win = draw(bets);
  const loss = draw(bets);
  const fee = volume;
  const bet = fee * 10;
  const prize = draw(bet * 2);
  const rakeback = Math.floor(rake / 4);
  const paid = draw(rakeback);
  const sometimes = (share: number, amount: number) => (draw(100) < share ? draw(amount) : 0);
  return {
    win,
    loss,
    deposit: sometimes(40, bets),
    withdraw: sometimes(20, bets),
    bets,
    rake,
    jackpot: sometimes(2, bets * 5),
    'tournament-fee': fee,
    'tournament-bet': bet,
    'tournament-prize': prize,
    'cash-result': win - loss,
    'tournament-result': prize - bet - fee,
    'ticket-fee': sometimes(10, fee),
    'ticket-bet': sometimes(10, bet),
    'slot-credit': sometimes(15, bets),
    'slot-debit': sometimes(15, bets),
    rakeback,
    'rakeback-paid': paid,
    'rakeback-unpaid': rakeback - paid,
    'rabbit-hunting': sometimes(5, rake),
  };
}

export const FIGURE_NAMES = Object.keys(perStep(0, 1, () => 0)) as readonly FigureName[];

/**
 * Returns an account's rake with tournament fees over several parts of days, which is the sum of its ad hoc
 * records.
 */
export function rakeOf(rank: number, volumeSteps: number): number {
  return weight(rank) * volumeSteps * (RAKES[1] + RAKES[2] + 2);
}

/** Returns the steps of a part of a day, weighted by the activity of that day. */
export function weightedSteps({ day, steps }: DayPart): number {
  return dayFactor(day) * steps;
}

// Never rises with the rank, so that accounts are ordered by their rake. In real money, a quiet day has a
// rake from some 1,000 EUR of the first account down to some 35.
function weight(rank: number): number {
  return Math.max(1, Math.floor(500 / (rank + 20)));
}

function dayFactor(day: number): number {
  return DAY_FACTORS[((day % 7) + 7) % 7] as number;
}

/** Returns a function that draws integers from 0 up to a limit. The same numbers give the same draws. */
function drawer(...numbers: readonly number[]): (limit: number) => number {
  const random = seededRandom(numbers.reduce((mixed, number) => Math.imul(mixed ^ number, 0x9e3779b1), 1));
  return (limit) => Math.floor(random() * limit);
}
