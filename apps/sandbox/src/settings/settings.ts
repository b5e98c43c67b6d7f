import { Environment, readClients, SettingsError, type Variables } from './clients.ts';

const HOUR_MS = 3_600_000;
const MAX_MS = 365 * 24 * HOUR_MS;

/** The settings of a sandbox; also the token under which Nest injects them. */
export abstract class Settings extends (Object as unknown as abstract new () => ReturnType<typeof read>) {}

/**
 * Reads the settings of one sandbox. docs/sandbox.md lists the variables.
 * @throws SettingsError with every fault, not only the first
 */
export function readSettings(variables: Variables = process.env): Settings {
  const environment = new Environment(variables);
  const settings = read(environment);
  if (environment.faults.length > 0) throw new SettingsError(environment.faults);
  return settings;
}

function read(environment: Environment) {
  const reason = 'must be an http or https address without a path';
  return {
    host: environment.text('SANDBOX_HOST', '127.0.0.1'),
    /** 0 takes a free port. */
    port: environment.integer('SANDBOX_PORT', 3100, { min: 0, max: 65_535 }),
    /** The origin in the URLs that players open; undefined: where the sandbox listens. */
    publicUrl: environment.read<string | undefined>('SANDBOX_PUBLIC_URL', undefined, reason, originOf),
    clients: readClients(environment),
    /** Whether a session for an unknown player creates the player, or is answered with 404. */
    unknownPlayers: environment.choice('SANDBOX_UNKNOWN_PLAYERS', ['create', 'refuse']),
    /** In characters (Unicode code points). */
    nicknameMaxLength: environment.integer('SANDBOX_NICKNAME_MAX_LENGTH', 32, { min: 1, max: 255 }),
    currencies: readCurrencies(environment),
    sessionLifetimeMs: environment.integer('SANDBOX_SESSION_LIFETIME_MS', HOUR_MS, { min: 1, max: MAX_MS }),
    tokenLifetimeMs: environment.integer('SANDBOX_TOKEN_LIFETIME_MS', 300_000, { min: 1, max: MAX_MS }),
    reports: {
      /** Records of the ad hoc report for one day; the rake report has half as many for any period. */
      records: environment.integer('SANDBOX_REPORT_RECORDS', 1200, { min: 0, max: 20_000_000 }),
      perPageDefault: environment.integer('SANDBOX_PER_PAGE_DEFAULT', 20, { min: 1, max: 10_000 }),
      /** A larger `per-page` is lowered to it. */
      perPageMaximum: environment.integer('SANDBOX_PER_PAGE_MAXIMUM', 1000, { min: 1, max: 10_000 }),
      /** Another seed gives other figures, and another order of random faults. */
      seed: environment.integer('SANDBOX_SEED', 1, { min: 0, max: 0xffff_ffff }),
    },
    /** Every answer is delayed by `fixedMs` and a random part of `spreadMs`. */
    latency: {
      fixedMs: environment.integer('SANDBOX_LATENCY_MS', 0, { min: 0, max: 600_000 }),
      spreadMs: environment.integer('SANDBOX_LATENCY_SPREAD_MS', 0, { min: 0, max: 600_000 }),
    },
  } as const;
}

function readCurrencies(environment: Environment) {
  const reason = 'must be different upper-case codes, separated by commas';
  const codes = (name: string, fallback: readonly string[]) =>
    environment.read(name, fallback, reason, codesOf);
  /** The first one is the system's own. */
  const active = codes('SANDBOX_CURRENCIES', ['USD', 'EUR', 'GBP']);
  const inactive = codes('SANDBOX_INACTIVE_CURRENCIES', ['BRL']);
  if (inactive.some((code) => active.includes(code)))
    environment.fault('SANDBOX_INACTIVE_CURRENCIES', 'names a currency of SANDBOX_CURRENCIES');
  const mandatory = environment.choice('SANDBOX_CURRENCY_MANDATORY', ['false', 'true']) === 'true';
  return { active, inactive, mandatory };
}

/** The origin of an absolute http(s) address without a path. */
function originOf(text: string): string | undefined {
  const url = URL.parse(text);
  const isOrigin = url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash;
  return isOrigin ? url.origin : undefined;
}

function codesOf(text: string): readonly string[] | undefined {
  const codes = text.split(',').map((code) => code.trim());
  const areCodes = codes.every((code) => /^[A-Z]{3,5}$/.test(code)) && new Set(codes).size === codes.length;
  return areCodes ? codes : undefined;
}
