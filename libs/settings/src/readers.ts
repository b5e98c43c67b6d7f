import { EXTRA_NAME, GamePlayer, GameSession, SessionCreate } from '#contracts/validation';
import type { PlatformSettings } from '#platform';
import { readAddress } from '#rabbitmq';

/** Reads one value. @throws Error whose message is the reason, without the value */
export interface Reader<T> {
  (text: string): T;
  /** The bounds of an integer, both inclusive. */
  readonly range?: { readonly min: number; readonly max: number };
  /** The accepted values, if the set is closed. */
  readonly words?: readonly string[];
}

export interface Definition<T> {
  readonly read: Reader<T>;
  /** The default, as text. */
  readonly default?: string;
  readonly isRequired?: boolean;
  /**
   * True if the value may come from a file, whose path is in the variable of the same name with `_FILE`
   * appended.
   */
  readonly isSecret?: boolean;
  /**
   * The corresponding member of an operator's settings; absent if the setting is the same for all operators.
   */
  readonly ofOperator?: keyof PlatformSettings;
}

/** The values of definitions, under their names. */
export type ValuesOf<Definitions> = {
  readonly [N in keyof Definitions]: Definitions[N] extends Definition<infer T> ? T : never;
};

export const setting = <T>(read: Reader<T>, fallback: string): Definition<T> => ({ read, default: fallback });
export const optional = <T>(read: Reader<T>): Definition<T | undefined> => ({ read });
export const required = <T>(read: Reader<T>): Definition<T> => ({ read, isRequired: true });
/** A setting of section 6 of the bus contract: an operator may have its own value. */
export const ofOperator = <M extends keyof PlatformSettings>(
  member: M,
  definition: Definition<PlatformSettings[M]>,
) => ({ ...definition, ofOperator: member });
export const secret = <T>(definition: Definition<T>): Definition<T> => ({ ...definition, isSecret: true });

export const text: Reader<string> = (value) => value;

/** @throws Error if the value breaks the rule, which completes "must …" */
function must(rule: string, isKept: unknown): asserts isKept {
  if (!isKept) throw new Error(`must ${rule}`);
}

const SHORTEST_KEY = 32;

/** A key that is long enough not to be guessed. */
export const key: Reader<string> = (value) => {
  must(`be at least ${SHORTEST_KEY} characters`, value.length >= SHORTEST_KEY);
  return value;
};

/** An integer within bounds, both inclusive. */
export function integer(min: number, max: number): Reader<number> {
  const read = (value: string): number => {
    const number = /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    must(`be an integer from ${min} to ${max}`, number >= min && number <= max);
    return number;
  };
  return Object.assign(read, { range: { min, max } });
}

export function oneOf<const T extends string>(words: readonly T[]): Reader<T> {
  const read = (value: string): T => {
    const word = words.find((candidate) => candidate === value);
    must(`be one of ${words.join(', ')}`, word !== undefined);
    return word;
  };
  return Object.assign(read, { words });
}

/** Comma-separated values: at least one, without duplicates. */
export function list<T>(read: Reader<T>): Reader<readonly T[]> {
  return (value) => {
    const items = value.split(',').map((item) => read(item.trim()));
    must('not name one thing twice', new Set(items).size === items.length);
    return items;
  };
}

export function rising(read: Reader<number>): Reader<readonly number[]> {
  return (value) => {
    const numbers = list(read)(value);
    must('be in rising order', String(numbers) === String(numbers.toSorted((a, b) => a - b)));
    return numbers;
  };
}

export const namePrefix: Reader<string> = (value) => {
  const rule = 'be 1 to 100 letters, digits, dots, hyphens and underscores, and not begin with amq.';
  must(rule, /^(?!amq\.)[A-Za-z0-9_.-]{1,100}$/.test(value));
  return value;
};

/**
 * The name of the player's country in requests. The name of another member is rejected, because the country
 * would overwrite it.
 */
export const countryMember: Reader<string> = (value) => {
  const isTaken = value !== 'country' && GamePlayer.members.some((member) => member === value);
  must('not be the name of another member of player', !isTaken);
  return value;
};

/**
 * Places that accept members beyond the interface document, each with the members that the document defines
 * there.
 */
const EXTRA_PLACES = new Map<string, readonly string[]>([
  ['session.create', [...SessionCreate.members, 'clientId', 'sign']],
  ['game.open/player', GamePlayer.members],
  ['game.open/session', GameSession.members],
]);

const extraMember: Reader<string> = (value) => {
  const at = value.lastIndexOf('/');
  const [place, name] = [value.slice(0, at), value.slice(at + 1)];
  const members = EXTRA_PLACES.get(place);
  must(
    `name members of ${[...EXTRA_PLACES.keys()].join(', ')}, such as game.open/player/city`,
    members && EXTRA_NAME.test(name),
  );
  must('not name a member of the interface document', !members.includes(name));
  return value;
};

/** `session.create/gameCode,game.open/player/city` */
export const extraMembers: Reader<ReadonlySet<string>> = (value) => new Set(list(extraMember)(value));

export const headerValue: Reader<string> = (value) => {
  must('be printable ASCII, and neither begin nor end with a space', /^[!-~]([ -~]*[!-~])?$/.test(value));
  return value;
};

/** The largest number that the format of `CURRENCY_PRECISIONS` allows: two digits. */
export const MAX_DECIMALS = 99;

/** `USD=2,BTC=8,mBTC=5`: the number of decimals of each currency, under its name on the platform. */
export const precisions: Reader<ReadonlyMap<string, number>> = (value) => {
  const pairs = value.split(',').map((pair) => {
    const [, currency, decimals] = /^\s*([^=\s]+)=(\d{1,2})\s*$/.exec(pair) ?? [];
    must('be pairs such as USD=2,BTC=8', currency !== undefined);
    return [currency, Number(decimals)] as const;
  });
  const byCurrency = new Map(pairs);
  must('not name one currency twice', byCurrency.size === pairs.length);
  return byCurrency;
};

export const amqpUrl: Reader<string> = (value) => {
  const { searchParams } = readAddress(value).url;
  must('have a heartbeat in seconds', /^\d{1,4}$/.test(searchParams.get('heartbeat') ?? '0'));
  return value;
};

export const hostName: Reader<string> = (value) => {
  const name = value.toLowerCase();
  const isHost = /^[a-z0-9._-]+$/.test(name) && URL.parse(`https://${name}`)?.hostname === name;
  must('be host names, comma separated', isHost);
  return name;
};

/** With these schemes, a URL makes a browser run code or read a file. */
const HARMFUL_SCHEMES = new Set(['javascript', 'vbscript', 'data', 'blob', 'file', 'about', 'filesystem']);

export const urlScheme: Reader<string> = (value) => {
  const scheme = value.toLowerCase();
  must('be URL schemes such as https,poker', /^[a-z][a-z0-9+.-]*$/.test(scheme));
  must('not name a scheme that runs code or reads files', !HARMFUL_SCHEMES.has(scheme));
  return scheme;
};

/** The root URL of an HTTP service, without a trailing slash. */
export const httpRoot: Reader<string> = (value) => {
  const { username, password, href } = parse(value, ['http:', 'https:'], 'an http or https URL');
  must('not contain credentials', !username && !password);
  // Even an empty query is rejected: the path appended to the root would become part of it.
  must('have neither a query nor a fragment', !/[?#]/.test(href));
  return href.replace(/\/+$/, '');
};

/** The address of an HTTP proxy, optionally with a user name and a password. */
export const proxyUrl: Reader<string> = (value) => {
  const url = parse(value, ['http:', 'https:'], 'an http or https URL');
  must('have neither a path nor a query', url.pathname === '/' && !/[?#]/.test(url.href));
  return withEncodedCredentials(url);
};

/** The address of one Redis server, optionally with a database number as its path. */
export const redisUrl: Reader<string> = (value) => {
  const url = parse(value, ['redis:', 'rediss:'], 'a redis or rediss URL');
  must('be a redis or rediss URL', url.hostname);
  must('have no path except a database number', /^(\/\d{0,5})?$/.test(url.pathname));
  must('have neither a query nor a fragment', !url.search && !url.hash);
  return withEncodedCredentials(url);
};

function parse(value: string, protocols: readonly string[], what: string): URL {
  const url = URL.parse(value);
  must(`be ${what}`, url && protocols.includes(url.protocol));
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
