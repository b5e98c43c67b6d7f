import { GamePlayer } from '#contracts/validation';

/** Reads one value. @throws Error whose message is the reason, without the value */
export type Reader<T> = (text: string) => T;

export const text: Reader<string> = (value) => value;

const SHORTEST_KEY = 32;

/** A key that nobody can guess, as far as its length tells. */
export const key: Reader<string> = (value) => {
  if (value.length < SHORTEST_KEY) throw new Error(`must be at least ${SHORTEST_KEY} characters`);
  return value;
};

/** An integer within bounds, both inclusive. */
export function integer(min: number, max: number): Reader<number> {
  return (value) => {
    const number = /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max)) throw new Error(`must be an integer from ${min} to ${max}`);
    return number;
  };
}

/** One of a list of words. */
export function oneOf<const T extends string>(words: readonly T[]): Reader<T> {
  return (value) => {
    const word = words.find((candidate) => candidate === value);
    if (word === undefined) throw new Error(`must be one of ${words.join(', ')}`);
    return word;
  };
}

/** Comma separated values, at least one, none twice. */
export function list<T>(read: Reader<T>): Reader<readonly T[]> {
  return (value) => {
    const items = value.split(',').map((item) => read(item.trim()));
    if (new Set(items).size !== items.length) throw new Error('must not name one thing twice');
    return items;
  };
}

/** Integers in rising order. */
export function rising(read: Reader<number>): Reader<readonly number[]> {
  return (value) => {
    const numbers = list(read)(value);
    if (numbers.some((number, index) => number < (numbers[index - 1] ?? number))) {
      throw new Error('must be in rising order');
    }
    return numbers;
  };
}

/** The beginning of queues' names. */
export const namePrefix: Reader<string> = (value) => {
  if (!/^[A-Za-z0-9_.-]{1,100}$/.test(value) || value.startsWith('amq.')) {
    throw new Error(
      'must be 1 to 100 letters, digits, dots, hyphens and underscores, and not begin with amq.',
    );
  }
  return value;
};

/** The name of the player's country on the wire; another member's name would be overwritten by it. */
export const countryMember: Reader<string> = (value) => {
  const isTaken = Object.keys(new GamePlayer()).some((member) => member !== 'country' && member === value);
  if (isTaken) throw new Error('must not be the name of another member of player');
  return value;
};

/** The most that the form of `CURRENCY_PRECISIONS` can hold. */
export const MAX_DECIMALS = 99;

/** `USD=2,BTC=8,mBTC=5`: the number of decimals of each currency, under its name on the platform. */
export const precisions: Reader<ReadonlyMap<string, number>> = (value) => {
  const pairs = value.split(',').map((pair): [string, number] => {
    const [, currency, decimals] = /^\s*([^=\s]+)=(\d{1,2})\s*$/.exec(pair) ?? [];
    if (currency === undefined) throw new Error('must be pairs such as USD=2,BTC=8');
    return [currency, Number(decimals)];
  });
  const byCurrency = new Map(pairs);
  if (byCurrency.size !== pairs.length) throw new Error('must not name one currency twice');
  return byCurrency;
};
