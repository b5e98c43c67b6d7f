import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';
import { stringify } from 'yaml';

import { SETTINGS } from '#settings';

import { contractLines, RELEASED_LINES, withAdditions } from '../../test/contracts/compatibility.ts';
import { root } from '../root.ts';
import { asyncApiDocument } from './asyncapi/asyncapi-document.ts';
import { MESSAGES_DOCUMENT, messagesDocument } from './messages-document.ts';
import { PYTHON_MESSAGES, pythonMessages } from './python-messages.ts';
import { MESSAGE_NAMES, standaloneSchema } from './schemas/schemas.ts';

/** Holds a schema of each message and the AsyncAPI document, relative to the repository. */
export const CONTRACT_FOLDER = 'docs/contract';

/** What the Helm chart takes. It refuses settings that it does not know. */
const CHART_SCHEMA = 'deploy/helm/poker-bridge/values.schema.json';
/** The chart sets these itself. */
const SET_BY_CHART: ReadonlySet<string> = new Set(['HTTP_HOST', 'HTTP_PORT', 'LANES', 'SHUTDOWN_GRACE_MS']);

type Named = Readonly<Record<'propertyNames', { enum?: readonly string[]; readonly pattern?: string }>>;

interface ChartSchema {
  readonly properties: { readonly secrets: { readonly properties: Record<'settings' | 'files', Named> } };
  readonly definitions: Record<'settings', Named>;
}

/**
 * Every file that is written from the definitions: its path in the repository, and its text. `openapi.yaml`, the platform's
 * side, is written by hand; its test holds it to the sandbox and the contracts.
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

/** The schema with every setting: secrets, which come from keys of a Secret as files do, and the others as texts. */
function chartSchema(text: string): string {
  const schema = JSON.parse(text) as ChartSchema;
  const { settings: secrets, files } = schema.properties.secrets.properties;
  const isFile = new RegExp(files.propertyNames.pattern ?? '');
  const names = Object.entries(SETTINGS).filter(([name]) => !SET_BY_CHART.has(name) && !isFile.test(name));
  const namesOf = (isSecret: boolean): string[] =>
    names.filter(([, setting]) => 'isSecret' in setting === isSecret).map(([name]) => name);
  secrets.propertyNames.enum = namesOf(true);
  schema.definitions.settings.propertyNames.enum = namesOf(false).toSorted();
  return JSON.stringify(schema);
}
