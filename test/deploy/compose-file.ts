import { parse } from 'yaml';

import { read } from '../docs/markdown.ts';

/** The members of a service that the tests use. */
export interface ComposeService {
  readonly image: string;
  readonly hostname?: string;
  readonly container_name?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string; readonly target: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
  readonly configs?: readonly { readonly source: string; readonly target: string }[];
  readonly networks: readonly string[];
  readonly tmpfs: readonly string[];
  readonly user?: string;
  readonly entrypoint?: readonly string[];
  readonly mem_limit?: string;
  readonly pids_limit?: number;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck: { readonly test: readonly string[] };
  readonly labels?: Readonly<Record<string, string>>;
  readonly profiles?: readonly string[];
  readonly stop_grace_period?: string;
  readonly init?: boolean;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
}

type ComposeServiceName =
  'rabbitmq' | 'redis' | 'sandbox' | 'worker' | 'prometheus' | 'alertmanager' | 'grafana';

export interface ComposeFile {
  readonly services: Readonly<Record<ComposeServiceName, ComposeService>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly configs: Readonly<Record<string, { readonly file: string }>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const VARIABLE = /\$\{(\w+):-([^}]*)\}/g;

const text = read('docker-compose.yml');

/** The variables of the file that a user may set, each with its default. */
export const variables: Readonly<Record<string, string>> = Object.fromEntries(
  [...text.matchAll(VARIABLE)].map(([, name = '', fallback = '']) => [name, fallback]),
);

/** The file as Docker Compose reads it if no variable is set: values under `environment` are text. */
export function readComposeFile(): ComposeFile {
  const file = parse(text.replace(VARIABLE, '$2'), { merge: true }) as ComposeFile;
  const services = Object.entries(file.services).map(([name, service]) => {
    const environment = Object.entries<unknown>(service.environment ?? {});
    return [
      name,
      { ...service, environment: Object.fromEntries(environment.map(([key, value]) => [key, `${value}`])) },
    ];
  });
  return { ...file, services: Object.fromEntries(services) as ComposeFile['services'] };
}
