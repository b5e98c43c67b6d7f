import { parse } from 'yaml';

import { read } from '../docs/markdown.ts';

interface ComposeFile {
  readonly services: Readonly<Record<string, any>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly configs: Readonly<Record<string, { readonly file: string }>>;
  readonly networks: Readonly<Record<string, unknown>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const VARIABLE = /\$\{(\w+):-([^}]*)\}/g;

const text = read('docker-compose.yml');

/** The variables of the file that a user may set, each with its default. */
export const variables: Readonly<Record<string, string>> = Object.fromEntries(
  [...text.matchAll(VARIABLE)].map(([, name = '', fallback = '']) => [name, fallback]),
);

/** The file as Docker Compose reads it without variables: values under `environment` are strings. */
export function readComposeFile(): ComposeFile {
  const file = parse(text.replace(VARIABLE, '$2'), { merge: true }) as ComposeFile;
  for (const { environment = {} } of Object.values(file.services))
    for (const [name, value] of Object.entries(environment)) environment[name] = String(value);
  return file;
}
