import { Environment, type Variables } from '../settings/environment.ts';
import { OPERATIONS, type Operation } from '../operations/operation.ts';
import type { Client } from './client.ts';
import { CONVENTION_NAMES, readConventions } from './conventions.ts';

const FILE = 'SANDBOX_CLIENTS_FILE';
const MEMBERS = ['secretKey', 'secretKeyFile', 'settings', 'operations'];

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

  const { settings = {}, operations = OPERATIONS, secretKey, secretKeyFile } = members;
  for (const [name, value] of Object.entries({ secretKey, secretKeyFile }))
    if (value !== undefined && (typeof value !== 'string' || value === ''))
      fault(`/${name} must be a string`);
  if (!isObject(settings)) fault('/settings must be an object');
  for (const name of Object.keys(settings as object))
    if (!CONVENTION_NAMES.some((known) => known === name)) fault(`/settings/${name} is not known`);
  if (!isOperations(operations)) fault(`/operations must be a list of ${OPERATIONS.join(', ')}`);

  const nested = new Environment({
    ...(settings as Variables),
    ...(typeof secretKey === 'string' && { secretKey }),
    ...(typeof secretKeyFile === 'string' && { secretKey_FILE: secretKeyFile }),
  });
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isOperations(value: unknown): value is readonly Operation[] {
  return Array.isArray(value) && value.every((name) => OPERATIONS.some((operation) => operation === name));
}
