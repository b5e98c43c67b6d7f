import { GamePlayer } from '#contracts/validation';
import type { PlatformSettings } from '#platform';

/** Reads one value. @throws Error whose message is the reason, without the value */
export type Reader<T> = (text: string) => T;

export interface Definition<T> {
  readonly read: Reader<T>;
  /** As it would be written. */
  readonly default?: string;
  readonly isRequired?: boolean;
  /** Whether the value may come from a file, whose path is in the variable with `_FILE` appended to its name. */
  readonly isSecret?: boolean;
  /** The member of an operator's settings that it is; absent if it is the same for all operators. */
  readonly ofOperator?: keyof PlatformSettings;
}

/** The values of some definitions, under their names. */
export type ValuesOf<Definitions> = {
  readonly [N in keyof Definitions]: Definitions[N] extends Definition<infer T> ? T : never;
};

export const setting = <T>(read: Reader<T>, fallback: string): Definition<T> => ({ read, default: fallback });
export const optional = <T>(read: Reader<T>): Definition<T | undefined> => ({ read });
export const required = <T>(read: Reader<T>): Definition<T> => ({ read, isRequired: true });
/** A setting of section 6 of the bus contract: another value may be given for an operator. */
export const ofOperator = <M extends keyof PlatformSettings>(
  member: M,
  definition: Definition<PlatformSettings[M]>,
) => ({ ...definition, ofOperator: member });
export const secret = <T>(definition: Definition<T>): Definition<T> => ({ ...definition, isSecret: true });

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

export function rising(read: Reader<number>): Reader<readonly number[]> {
  return (value) => {
    const numbers = list(read)(value);
    if (numbers.some((number, index) => number < (numbers[index - 1] ?? number))) {
      throw new Error('must be in rising order');
    }
    return numbers;
  };
}

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

const HOST_NAME = /^[a-z0-9._-]+$/;

export const amqpUrl: Reader<string> = (value) => {
  const { searchParams } = parse(value, ['amqp:', 'amqps:'], 'amqp or amqps URLs, comma separated');
  if (!/^\d{1,4}$/.test(searchParams.get('heartbeat') ?? '0'))
    throw new Error('must have a heartbeat in seconds');
  return value;
};

export const hostName: Reader<string> = (value) => {
  const name = value.toLowerCase();
  if (!HOST_NAME.test(name) || URL.parse(`https://${name}`)?.hostname !== name) {
    throw new Error('must be host names, comma separated');
  }
  return name;
};

/** The root of an HTTP service, without a slash at its end. */
export const httpRoot: Reader<string> = (value) => {
  const url = parse(value, ['http:', 'https:'], 'an http or https URL');
  if (url.username || url.password) throw new Error('must not hold credentials');
  // Not even an empty one: it would swallow the path that is appended to the root.
  if (/[?#]/.test(url.href)) throw new Error('must have neither a query nor a fragment');
  return url.href.replace(/\/+$/, '');
};

/** The address of an HTTP proxy; it may hold a user name and a password. */
export const proxyUrl: Reader<string> = (value) => {
  const url = parse(value, ['http:', 'https:'], 'an http or https URL');
  if (url.pathname !== '/' || /[?#]/.test(url.href)) throw new Error('must have neither a path nor a query');
  return withEncodedCredentials(url);
};

/** The address of one Redis server, optionally with the number of a database as its path. */
export const redisUrl: Reader<string> = (value) => {
  const url = parse(value, ['redis:', 'rediss:'], 'a redis or rediss URL');
  if (!url.hostname) throw new Error('must be a redis or rediss URL');
  if (!/^(\/\d{0,5})?$/.test(url.pathname)) throw new Error('must have no path but the number of a database');
  if (url.search || url.hash) throw new Error('must have neither a query nor a fragment');
  return withEncodedCredentials(url);
};

function parse(value: string, protocols: readonly string[], what: string): URL {
  const url = URL.parse(value);
  if (!url || !protocols.includes(url.protocol)) throw new Error(`must be ${what}`);
  return url;
}

function withEncodedCredentials({ username, password, href }: URL): string {
  try {
    decodeURIComponent(username + password);
    return href;
  } catch {
    throw new Error('must have its user name and password percent-encoded');
  }
}
