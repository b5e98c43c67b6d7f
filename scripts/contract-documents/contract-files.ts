import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';
import { stringify } from 'yaml';

import { type Reader, SETTINGS } from '#settings';

import { contractLines, RELEASED_LINES, withAdditions } from '../../test/contracts/compatibility.ts';
import { root } from '../root.ts';
import { asyncApiDocument } from './asyncapi/asyncapi-document.ts';
import { MESSAGES_DOCUMENT, messagesDocument } from './messages-document.ts';
import { PYTHON_MESSAGES, pythonMessages } from './python-messages.ts';
import { MESSAGE_NAMES, standaloneSchema } from './schemas/schemas.ts';

/** The folder of the message schemas and the AsyncAPI document, relative to the repository. */
export const CONTRACT_FOLDER = 'docs/contract';

/** The schema of the Helm chart's values, which rejects unknown settings. */
const CHART_SCHEMA = 'deploy/helm/poker-bridge/values.schema.json';
/** The chart sets these itself. */
const SET_BY_CHART: ReadonlySet<string> = new Set(['HTTP_HOST', 'HTTP_PORT', 'LANES', 'SHUTDOWN_GRACE_MS']);

/** OpenTelemetry's SDK reads these itself (docs/settings.md). */
const READ_BY_SDK = ['COMPRESSION', 'TIMEOUT'].map((name) => `OTEL_EXPORTER_OTLP_${name}`);

type Named = Readonly<Record<'propertyNames', { enum?: readonly string[]; readonly pattern?: string }>>;

interface ChartSchema {
  readonly properties: { readonly secrets: { readonly properties: Record<'settings' | 'files', Named> } };
  readonly definitions: { readonly settings: { properties?: object } };
}

/**
 * Returns the path and the text of each file that is generated from the definitions. `openapi.yaml` describes
 * the platform and is written by hand; a test compares it with the sandbox and the contracts.
 */
export async function contractFiles(): Promise<ReadonlyMap<string, string>> {
  const written = (path: string): string => readFileSync(join(root, path), 'utf8');
  const asyncApi = stringify(asyncApiDocument(), { aliasDuplicateObjects: false, lineWidth: 0 });
  const formatted = [
    ...MESSAGE_NAMES.map((name) => [
      `${CONTRACT_FOLDER}/schemas/${name}.schema.json`,
      JSON.stringify(standaloneSchema(name)),
    ]),
    [`${CONTRACT_FOLDER}/asyncapi.yaml`, asyncApi],
    [CHART_SCHEMA, chartSchema(written(CHART_SCHEMA))],
  ].map(async ([path = '', text = '']) => {
    const filepath = join(root, path);
    return [path, await format(text, { ...(await resolveConfig(filepath)), filepath })] as const;
  });
  return new Map([
    ...(await Promise.all(formatted)),
    [MESSAGES_DOCUMENT, messagesDocument(written(MESSAGES_DOCUMENT))],
    [RELEASED_LINES, withAdditions(written(RELEASED_LINES), contractLines())],
    [PYTHON_MESSAGES, pythonMessages()],
  ]);
}

/**
 * Returns the chart's schema with every setting: secrets and files are keys of a Secret, the others are
 * strings.
 */
function chartSchema(text: string): string {
  const schema = JSON.parse(text) as ChartSchema;
  const { settings: secrets, files } = schema.properties.secrets.properties;
  const isFile = new RegExp(files.propertyNames.pattern ?? '');
  const all = Object.entries(SETTINGS).filter(([name]) => !SET_BY_CHART.has(name) && !isFile.test(name));
  const entriesOf = (isSecret: boolean) => all.filter(([, setting]) => 'isSecret' in setting === isSecret);
  secrets.propertyNames.enum = entriesOf(true).map(([name]) => name);
  const settings = [
    ...entriesOf(false).map(([name, { read }]) => [name, accepted(read)] as const),
    ...['OTEL_RESOURCE_ATTRIBUTES', ...READ_BY_SDK].map((name) => [name, accepted({})] as const),
  ].toSorted(([one], [other]) => (one < other ? -1 : 1));
  schema.definitions.settings.properties = Object.fromEntries(settings);
  return JSON.stringify(schema);
}

/** Returns the JSON Schema of a setting's text, as precise as its reader allows. */
function accepted({ range, words }: Pick<Reader<unknown>, 'range' | 'words'>): object {
  if (words) return { enum: words };
  return { type: 'string', ...(range && { pattern: patternOf(range) }) };
}

/** Returns a pattern of the integers from `min`, 0 or 1, to `max`, without leading zeros. */
function patternOf({ min, max }: { readonly min: number; readonly max: number }): string {
  const digits = String(max);
  const shorter = digits.length > 1 ? [`[1-9]\\d{0,${digits.length - 2}}`] : [];
  const smaller = [...digits].flatMap((digit, at) => {
    const [least, most] = [at === 0 ? 1 : 0, Number(digit) - 1];
    return least > most ? [] : [`${digits.slice(0, at)}[${least}-${most}]\\d{${digits.length - at - 1}}`];
  });
  return `^(${[...(min === 0 ? ['0'] : []), ...shorter, ...smaller, digits].join('|')})$`;
}
