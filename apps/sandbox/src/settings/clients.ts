import { readFileSync } from 'node:fs';

import { type Operation, OPERATIONS } from '../interface/documents.ts';
import { isObject } from '../interface/members.ts';

/** The type of `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads typed values from environment variables and collects what is wrong with them, so that one start reports
 * every fault. An empty variable counts as unset. A fault names the variable and the reason, never the value.
 */
export class Environment {
  /** One line for each fault, `NAME: reason`. */
  readonly faults: string[] = [];

  constructor(private readonly variables: Variables) {}

  text(name: string, fallback: string): string {
    return this.variables[name] || fallback;
  }

  integer(name: string, fallback: number, { min, max }: { min: number; max: number }): number {
    const read = (text: string) =>
      /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined;
    return this.read(name, fallback, `must be an integer from ${min} to ${max}`, read);
  }

  /** One of `values`; the first is the default. */
  choice<const T extends string>(name: string, values: readonly [T, ...T[]]): T {
    const read = (text: string) => values.find((candidate) => candidate === text);
    return this.read(name, values[0], `must be one of ${values.join(', ')}`, read);
  }

  /** The value of a variable. @param read gives undefined for a text that cannot be used */
  read<T>(name: string, fallback: T, reason: string, read: (text: string) => T | undefined): T {
    const text = this.variables[name];
    const value = text ? read(text) : fallback;
    if (value === undefined && text) this.fault(name, reason);
    return value ?? fallback;
  }

  /** The variable itself, or the content of the file that `<name>_FILE` names, without its last line break. */
  secret(name: string, fallback: string): string {
    const direct = this.variables[name];
    const file = this.variables[`${name}_FILE`];
    if (direct && file) this.fault(name, `is given twice, here and as ${name}_FILE`);
    if (!file) return direct || fallback;
    const content = this.file(`${name}_FILE`);
    if (content === undefined) return fallback;
    const secret = content.replace(/\r?\n$/, '');
    if (secret === '') this.fault(`${name}_FILE`, 'names an empty file');
    return secret;
  }

  /** The content of the file that the variable names, or undefined if it is unset or cannot be read. */
  file(name: string): string | undefined {
    const path = this.variables[name];
    if (!path) return undefined;
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      this.fault(name, `names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`);
      return undefined;
    }
  }

  fault(name: string, reason: string): void {
    this.faults.push(`${name}: ${reason}`);
  }
}

/** The environment does not hold usable settings; the process should end with code 78 (EX_CONFIG). */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  /** @param faults one line for each fault: the variable's name and the reason, never its value */
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

const FILE = 'SANDBOX_CLIENTS_FILE';
const MEMBERS = ['secretKey', 'secretKeyFile', 'settings', 'operations'];
/** Points that the interface document leaves open: the variable of each, without its prefix, and its values. */
const POINTS = {
  /** How booleans and null are signed: `1`, empty, empty or `true`, `false`, `null`. */
  scalars: ['SIGNATURE_SCALARS', ['php', 'json']],
  /** Whether open-game's query parameter `client` is signed. */
  openGameClient: ['SIGNATURE_OPEN_GAME_CLIENT', ['keep', 'drop']],
  /** Which strings that hold JSON are decoded before signing. */
  jsonStrings: ['SIGNATURE_JSON_STRINGS', ['containers', 'all', 'none']],
  /** Where the content of a decoded string is signed: in its place, or at the top level. */
  jsonPlacement: ['SIGNATURE_JSON_PLACEMENT', ['in-place', 'merge']],
  /** Where names that take no part are removed: at the top level, or in nested objects too. */
  exclude: ['SIGNATURE_EXCLUDE', ['top', 'deep']],
  /** What open-game signs: its parameters, or the bytes of its body. */
  schemeV3: ['SIGNATURE_SCHEME_V3', ['parameters', 'raw-body']],
  /** Where the form data of the rake report is expected. */
  rakeParametersIn: ['RAKE_PARAMETERS_IN', ['form', 'query']],
} as const;
const COUNTRY_MEMBER = 'PLAYER_COUNTRY_MEMBER';
const CONVENTION_NAMES: readonly string[] = [...Object.values(POINTS).map(([name]) => name), COUNTRY_MEMBER];

/** The open points, as one installation of the platform decides them. */
export type Conventions = { readonly [Point in keyof typeof POINTS]: (typeof POINTS)[Point][1][number] } & {
  /** The name of the member of `player` that holds the country. */
  readonly playerCountryMember: string;
};

/** An operator that may call the platform. */
export interface Client {
  readonly id: string;
  /** Absent: open-game needs no signature, and the v2 endpoints cannot be used. */
  readonly secretKey?: string;
  readonly conventions: Conventions;
  /** The operations that the client may call; everything else is answered with 403. */
  readonly operations: ReadonlySet<Operation>;
}

/**
 * Reads the client that the variables describe and those of the JSON file that SANDBOX_CLIENTS_FILE names:
 * `{"<client id>": {"secretKey" or "secretKeyFile", "settings": {"SIGNATURE_SCALARS": "json", …}, "operations": ["session", …]}}`.
 * Every member is optional: without a secret the client opens games unsigned, without operations it may call all four.
 */
export function readClients(environment: Environment): readonly Client[] {
  const main: Client = {
    id: environment.text('SANDBOX_CLIENT_ID', 'sandbox'),
    secretKey: environment.secret('SANDBOX_SECRET_KEY', 'sandbox-secret-key'),
    conventions: readConventions(environment, 'SANDBOX_'),
    operations: new Set(OPERATIONS),
  };
  const text = environment.file(FILE);
  if (text === undefined) return [main];
  const further = Object.entries(parseObject(text, environment)).map(([id, entry]) => {
    if (id === main.id) environment.fault(FILE, `/${id} is the client of SANDBOX_CLIENT_ID`);
    return readClient(id, entry, environment);
  });
  return [main, ...further];
}

function parseObject(text: string, environment: Environment): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isObject(parsed)) return parsed;
  } catch {
    // reported below: a parser's message would quote the file, and a secret with it
  }
  environment.fault(FILE, 'must name a file that holds a JSON object');
  return {};
}

function readClient(id: string, entry: unknown, environment: Environment): Client {
  const fault = (reason: string) => environment.fault(FILE, `/${id}${reason}`);
  const members = isObject(entry) ? entry : {};
  if (!isObject(entry)) fault(' must be an object');
  for (const name of Object.keys(members)) if (!MEMBERS.includes(name)) fault(`/${name} is not known`);

  const { settings = {}, operations = OPERATIONS } = members;
  const secrets: Record<string, string> = {};
  for (const name of ['secretKey', 'secretKeyFile']) {
    const value = members[name];
    if (typeof value === 'string' && value !== '') secrets[name.replace('File', '_FILE')] = value;
    else if (value !== undefined) fault(`/${name} must be a string`);
  }
  if (!isObject(settings)) fault('/settings must be an object');
  for (const name of Object.keys(settings as object))
    if (!CONVENTION_NAMES.includes(name)) fault(`/settings/${name} is not known`);
  if (!isOperations(operations)) fault(`/operations must be a list of ${OPERATIONS.join(', ')}`);

  const nested = new Environment({ ...(settings as Variables), ...secrets });
  const secret = nested.secret('secretKey', '');
  const conventions = readConventions(nested, '');
  for (const line of nested.faults) fault(`: ${line}`);
  return {
    id,
    ...(secret !== '' && { secretKey: secret }),
    conventions,
    operations: new Set(isOperations(operations) ? operations : OPERATIONS),
  };
}

function isOperations(value: unknown): value is readonly Operation[] {
  return Array.isArray(value) && value.every((name) => OPERATIONS.some((operation) => operation === name));
}

/** Reads conventions from variables whose names start with `prefix`; the defaults follow the interface document. */
export function readConventions(environment: Environment, prefix: string): Conventions {
  const points = Object.entries(POINTS).map(([point, [name, values]]) => [
    point,
    environment.choice<string>(`${prefix}${name}`, values),
  ]);
  const playerCountryMember = environment.text(`${prefix}${COUNTRY_MEMBER}`, 'country');
  return { ...Object.fromEntries(points), playerCountryMember } as Conventions;
}
