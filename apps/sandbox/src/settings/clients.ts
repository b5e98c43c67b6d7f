import {
  JsonFile,
  oneOf,
  optional,
  secret,
  setting,
  SETTINGS,
  type Settings as WorkerSettings,
  VariableReader,
} from '#settings';
import { type Operation, OPERATIONS } from '../interface/documents.ts';

const FILE = new JsonFile('SANDBOX_CLIENTS_FILE');
const MEMBERS = ['secretKey', 'secretKeyFile', 'settings', 'operations'];
/**
 * Points that the interface document leaves open. They are worker settings, which the sandbox reads with a
 * prefix.
 */
const POINTS = [
  'SIGNATURE_OPEN_GAME_CLIENT',
  'SIGNATURE_JSON_STRINGS',
  'SIGNATURE_EXCLUDE',
  'SIGNATURE_REPEATED_NAMES',
  'SIGNATURE_SCHEME_V3',
  'RAKE_PARAMETERS_IN',
  'PLATFORM_CLIENT_KEY',
  'PLAYER_COUNTRY_MEMBER',
  'SESSION_ID',
] as const;
/** Differences between installations that no worker setting covers. The first value is the default. */
const FURTHER_POINTS = {
  SIGNATURE_SCALARS: { member: 'scalars', values: ['php', 'json', 'python'] },
  SIGNATURE_JSON_PLACEMENT: { member: 'jsonPlacement', values: ['in-place', 'merge', 'merge-top'] },
  SIGNATURE_SORTING: { member: 'sorting', values: ['deep', 'top', 'by-value'] },
  SIGNATURE_EXCLUDED: { member: 'excluded', values: ['document', 'client-id'] },
} as const;

/** The values of the open points for one installation of the platform. */
export type Conventions = {
  readonly [P in (typeof POINTS)[number] as (typeof SETTINGS)[P]['ofOperator']]: WorkerSettings[P];
} & {
  readonly [P in (typeof FURTHER_POINTS)[keyof typeof FURTHER_POINTS] as P['member']]: P['values'][number];
};

/** An operator that may call the platform. */
export interface Client {
  readonly id: string;
  /** If absent, open-game needs no signature, and the v2 endpoints cannot be used. */
  readonly secretKey?: string | undefined;
  readonly conventions: Conventions;
  /** The operations that the client may call. All other operations are answered with 403. */
  readonly operations: ReadonlySet<Operation>;
}

export function readFirstClient(reader: VariableReader): Client {
  return {
    id: reader.read('SANDBOX_CLIENT_ID', setting(String, 'sandbox')),
    secretKey: reader.read('SANDBOX_SECRET_KEY', secret(setting(String, 'sandbox-secret-key'))),
    conventions: readConventions(reader, 'SANDBOX_'),
    operations: new Set(OPERATIONS),
  };
}

/**
 * Reads the first client and the clients of a JSON file: `{"<client id>": {"secretKey" or "secretKeyFile",
 * "settings": {"SIGNATURE_SCALARS": "json", …}, "operations": ["session", …]}}`. Every member is optional:
 * without a secret the client opens games unsigned, without operations it may call all four.
 * @throws SettingsError for the first error in the file
 */
export function readClients(first: Client, path: string | undefined): readonly [Client, ...Client[]] {
  const entries = path === undefined ? [] : Object.entries(FILE.read(path));
  if (entries.some(([id]) => id === first.id))
    throw FILE.fault(`"${first.id}" is the client of SANDBOX_CLIENT_ID`);
  return [first, ...entries.map(([id, entry]) => readClient(id, entry))];
}

function readClient(id: string, entry: unknown): Client {
  const where = JSON.stringify(id);
  const given = FILE.object(entry, where);
  FILE.refuseUnknown(given, MEMBERS, where);
  const { settings = {}, operations = OPERATIONS, secretKey, secretKeyFile } = given;
  const points = FILE.object(settings, `${where}: settings`);
  FILE.refuseUnknown(points, [...POINTS, ...Object.keys(FURTHER_POINTS)], `${where}: settings`);
  const variables = { ...points, secretKey, secretKey_FILE: secretKeyFile };
  for (const [name, value] of Object.entries(variables))
    if (value !== undefined && (typeof value !== 'string' || value === ''))
      throw FILE.fault(`${where}: ${name} must be a string that is not empty`);
  if (!Array.isArray(operations) || operations.some((name) => !OPERATIONS.includes(name as Operation)))
    throw FILE.fault(`${where}: operations must be a list of ${OPERATIONS.join(', ')}`);

  const reader = new VariableReader(variables as NodeJS.ProcessEnv);
  const client = {
    id,
    secretKey: reader.read('secretKey', secret(optional(String))),
    conventions: readConventions(reader),
    operations: new Set(operations as Operation[]),
  };
  for (const { variable, reason } of reader.faults) throw FILE.fault(`${where}: ${variable} ${reason}`);
  return client;
}

/**
 * Reads conventions from variables whose names begin with `prefix`; the defaults follow the interface
 * document.
 */
export function readConventions(reader: VariableReader, prefix = ''): Conventions {
  const points = POINTS.map((point) => [
    SETTINGS[point].ofOperator,
    reader.read<unknown>(`${prefix}${point}`, SETTINGS[point]),
  ]);
  const further = Object.entries(FURTHER_POINTS).map(([point, { member, values }]) => [
    member,
    reader.read<string>(`${prefix}${point}`, setting(oneOf(values), values[0])),
  ]);
  return Object.fromEntries([...points, ...further]) as Conventions;
}
