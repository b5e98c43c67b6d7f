import { join } from 'node:path';

import spawn, { type SubprocessError } from 'nano-spawn';
import { parseAllDocuments, stringify } from 'yaml';

import { bringHelm } from './bring-helm.ts';
import { root } from '../../../scripts/root.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const CHART = join(root, 'deploy/helm/poker-bridge');

/** What a release needs at least. */
export const MINIMUM = {
  settings: {
    PLATFORM_BASE_URL: 'https://api.example.com/api/web',
    PLATFORM_API_URL: 'https://api.example.com',
    PLATFORM_CLIENT_ID: 'op1',
  },
};

/** Everything that can be switched on. */
export const COMPLETE = {
  settings: { ...MINIMUM.settings, AMQP_PREFIX: 'cards', EVENTS: 'all' },
  image: { repository: 'registry.example/worker', digest: `sha256:${'a'.repeat(64)}` },
  imagePullSecrets: [{ name: 'registry' }],
  secrets: {
    settings: { REDIS_URL: 'redis-url', INTERNAL_KEY: 'internal-key', LOG_SUBJECT_KEY: 'log-subject-key' },
    files: { OPERATORS_FILE: 'operators.json', AMQP_TLS_CA: 'ca.pem' },
  },
  lanes: { reports: { settings: { REPORTS_PREFETCH: '8' } } },
  scaling: { enabled: true },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  prometheusRule: {
    enabled: true,
    runbookUrl: 'https://docs.example/runbook.md',
    brokerMatchers: 'namespace="rabbitmq"',
    labels: { release: 'prometheus' },
  },
  podAnnotations: { team: 'poker' },
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'poker', operator: 'Exists', effect: 'NoSchedule' }],
};

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec?: any;
  readonly data?: Readonly<Record<string, string>>;
}

/** What Helm makes of the chart. @throws Error with what Helm says */
export async function render(values: object, release = 'game'): Promise<readonly Manifest[]> {
  const text = await helm('template', values, release);
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

/** @throws Error with what Helm says */
export async function lint(values: object): Promise<string> {
  return helm('lint', values);
}

async function helm(command: 'lint' | 'template', values: object, release = 'game'): Promise<string> {
  const program = await bringHelm();
  using folder = temporaryFolder();
  const file = folder.write('values.yaml', stringify(values));
  const options = command === 'lint' ? ['--strict', CHART] : [release, CHART];
  // A home of its own: it reads no repositories and no cluster.
  const env = { HOME: folder.path, PATH: process.env['PATH'] ?? '' };
  try {
    const { stdout } = await spawn(program, [command, ...options, '--values', file], { env });
    return stdout;
  } catch (error) {
    throw new Error((error as SubprocessError).stderr, { cause: error });
  }
}
