import { integer, list, oneOf, optional, type Reader, setting, VariableReader } from '#settings';
import { PROFILES, REAL_PER_PAGE_MAXIMUM } from '../interface/real-profile.ts';
import { readClients, readFirstClient } from './clients.ts';

const HOUR_MS = 3_600_000;
const MAX_MS = 365 * 24 * HOUR_MS;

type Values = ReturnType<typeof readSettings>;

/** The settings of a sandbox. The class is also their injection token in Nest. */
export abstract class Settings extends (Object as unknown as abstract new () => Values) {}

/**
 * Reads the settings of one sandbox. docs/sandbox.md lists the variables.
 * @throws SettingsError with every invalid variable, or the first error in the clients file
 */
export function readSettings(variables: NodeJS.ProcessEnv = process.env) {
  const reader = new VariableReader(variables);
  const number = (name: string, fallback: number, [min, max]: readonly [number, number]) =>
    reader.read(name, setting(integer(min, max), String(fallback)));
  const choice = <const T extends string>(name: string, values: readonly [T, ...T[]]) =>
    reader.read(name, setting(oneOf(values), values[0]));
  const codes = (name: string, fallback: string) =>
    reader.read(name, setting(list(currencyCode), fallback)) as readonly [string, ...string[]];

  const profile = choice('SANDBOX_PROFILE', PROFILES);
  const isReal = profile === 'real';
  const settings = {
    profile,
    /**
     * Takes v2 parameters in the query, a JSON body and a form without `userId`, as the real platform does.
     */
    isLenient: choice('SANDBOX_LENIENT', isReal ? ['true', 'false'] : ['false', 'true']) === 'true',
    host: reader.read('SANDBOX_HOST', setting(String, '127.0.0.1')),
    /** If 0, the sandbox listens on a free port. */
    port: number('SANDBOX_PORT', 3100, [0, 65_535]),
    /**
     * The origin of links and of the URLs that players open. If empty, it is set to the address on which the
     * sandbox listens.
     */
    publicUrl: reader.read('SANDBOX_PUBLIC_URL', optional(origin)) ?? '',
    /** Determines if a session for an unknown player creates the player, or is answered with 404. */
    unknownPlayers: choice('SANDBOX_UNKNOWN_PLAYERS', ['create', 'refuse']),
    /** The maximum, in characters (Unicode code points). */
    nicknameMaxLength: number('SANDBOX_NICKNAME_MAX_LENGTH', 32, [1, 255]),
    currencies: {
      /** The first currency is the system's own, which is used if a request names none. */
      active: codes('SANDBOX_CURRENCIES', 'USD,EUR,GBP'),
      inactive: codes('SANDBOX_INACTIVE_CURRENCIES', 'BRL'),
      mandatory: choice('SANDBOX_CURRENCY_MANDATORY', ['false', 'true']) === 'true',
    },
    sessionLifetimeMs: number('SANDBOX_SESSION_LIFETIME_MS', HOUR_MS, [1, MAX_MS]),
    tokenLifetimeMs: number('SANDBOX_TOKEN_LIFETIME_MS', 300_000, [1, MAX_MS]),
    reports: {
      /**
       * The number of records of the ad hoc report for one day. The rake report has half as many for any
       * period.
       */
      records: number('SANDBOX_REPORT_RECORDS', 1200, [0, 20_000_000]),
      perPageDefault: number('SANDBOX_PER_PAGE_DEFAULT', 20, [1, 10_000]),
      /** The limit of `per-page`; larger values are reduced to it. */
      perPageMaximum: number('SANDBOX_PER_PAGE_MAXIMUM', isReal ? REAL_PER_PAGE_MAXIMUM : 1000, [1, 10_000]),
      /** The seed determines the figures and the sequence of random faults. */
      seed: number('SANDBOX_SEED', 1, [0, 0xffff_ffff]),
    },
    /** Every answer is delayed by `fixedMs` and a random part of `spreadMs`. */
    latency: {
      fixedMs: number('SANDBOX_LATENCY_MS', 0, [0, 600_000]),
      spreadMs: number('SANDBOX_LATENCY_SPREAD_MS', 0, [0, 600_000]),
    },
  };
  const { active, inactive } = settings.currencies;
  if (inactive.some((code) => active.includes(code)))
    reader.fault('SANDBOX_INACTIVE_CURRENCIES', 'names a currency of SANDBOX_CURRENCIES');
  const first = readFirstClient(reader);
  const clientsFile = reader.read('SANDBOX_CLIENTS_FILE', optional(String));
  reader.check();
  return { ...settings, clients: readClients(first, clientsFile) };
}

const origin: Reader<string> = (value) => {
  const url = URL.parse(value);
  const isOrigin = url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash;
  if (!isOrigin) throw new Error('must be an http or https address without a path');
  return url.origin;
};

const currencyCode: Reader<string> = (value) => {
  if (!/^[A-Z]{3,5}$/.test(value)) throw new Error('must be upper-case codes, separated by commas');
  return value;
};
