import { join } from 'node:path';

import spawn, { type SubprocessError } from 'nano-spawn';
import { parseAllDocuments, stringify } from 'yaml';

import { readSettings } from '#settings';

import { bringHelm } from './bring-helm.ts';
import { root } from '../../../scripts/root.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

export const CHART = join(root, 'deploy/helm/poker-bridge');

/** The required values. */
export const MINIMUM = {
  settings: {
    PLATFORM_BASE_URL: 'https://api.example.com/api/web',
    PLATFORM_API_URL: 'https://api.example.com',
    PLATFORM_CLIENT_ID: 'op1',
  },
};

/** Every optional object enabled. */
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
  host: '::',
  serviceAccount: { annotations: { 'example.com/role': 'poker' } },
  deploymentLabels: { team: 'poker' },
  deploymentAnnotations: { 'reloader.stakater.com/auto': 'true' },
  podLabels: { team: 'poker' },
  podAnnotations: { 'example.com/scrape': 'false' },
  priorityClassName: 'business-critical',
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
  extraEnv: [{ name: 'TZ', value: 'UTC' }],
  extraVolumes: [{ name: 'more', emptyDir: {} }],
  extraVolumeMounts: [{ name: 'more', mountPath: '/more' }],
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

/** Returns the environment of a pod's worker. */
export function environmentIn(pod: any): Record<string, string> {
  return Object.fromEntries(
    pod.containers[0].env.map(({ name, value }: { name: string; value: string }) => [name, value]),
  );
}

/** Reads the settings in an environment as a worker does, with contents for its files. */
export function settingsIn(environment: Readonly<Record<string, string>>) {
  const contents: Record<string, string> = {
    [environment['AMQP_URL_FILE'] ?? '']: 'amqps://worker:secret@rabbitmq:5671/',
    [environment['REDIS_URL_FILE'] ?? '']: 'rediss://redis:6379',
  };
  return readSettings(environment, (path) => contents[path] ?? 's'.repeat(32));
}

interface Rendering {
  readonly release?: string;
  /** The folder of the chart. */
  readonly chart?: string;
}

/**
 * Renders the chart with these values; later values override earlier ones. @throws Error with the output of
 * Helm
 */
export async function render(
  values: object | readonly object[],
  { release = 'game', chart = CHART }: Rendering = {},
): Promise<readonly Manifest[]> {
  const text = await helm(['template', release, chart], [values].flat());
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

/** @throws Error with the output of Helm */
export async function lint(values: object): Promise<string> {
  return helm(['lint', '--strict', CHART], [values]);
}

async function helm(args: readonly string[], values: readonly object[]): Promise<string> {
  const program = await bringHelm();
  using folder = temporaryFolder();
  const files = values.flatMap((each, index) => ['--values', folder.write(`${index}.yaml`, stringify(each))]);
  // Use a home directory of its own, without repositories and without a cluster.
  const env = { HOME: folder.path, PATH: process.env['PATH'] ?? '' };
  try {
    const { stdout } = await spawn(program, [...args, ...files], { env });
    return stdout;
  } catch (error) {
    throw new Error((error as SubprocessError).stderr, { cause: error });
  }
}
