import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

import { LANES } from '#contracts';

import { fencesOf, read } from '../../docs/markdown.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { faultsOf } from './published-schemas.ts';
import { CHART, environmentIn, type Manifest, MINIMUM, render, settingsIn } from './render.ts';

const LABEL = /^(([A-Za-z0-9][\w.-]{0,61})?[A-Za-z0-9])?$/;

const examples = new Map(
  fencesOf(read('deploy/helm/poker-bridge/README.md'))
    .filter(({ language }) => language === 'yaml')
    .map(({ text }) => [/^# (\S+)\.yaml\n/.exec(text)?.[1] ?? '', parse(text) as object]),
);

async function example(name: string): Promise<readonly Manifest[]> {
  return render([examples.get('values') ?? {}, name === 'values' ? {} : (examples.get(name) ?? {})]);
}

const deploymentsOf = (manifests: readonly Manifest[]) =>
  manifests.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec.template.spec);
const valueOf = (pod: any, variable: string): string | undefined => environmentIn(pod)[variable];

describe('the README of the chart', () => {
  it.each([...examples.keys()])(
    'renders %s.yaml to valid objects whose settings a worker accepts',
    async (name) => {
      const manifests = await example(name);
      expect(faultsOf(manifests)).toEqual([]);
      for (const pod of deploymentsOf(manifests)) {
        const environment = environmentIn(pod);
        expect(Object.keys(environment)).toHaveLength(pod.containers[0].env.length);
        settingsIn(environment);
      }
    },
  );

  it('has an example for each kind of cluster', () =>
    expect([...examples.keys()]).toEqual(['values', 'openshift', 'ipv6', 'secrets', 'small', 'monitored']));

  it('lets OpenShift choose the user and group ids', async () => {
    for (const pod of deploymentsOf(await example('openshift')))
      expect(pod.securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  });

  it('makes workers listen on IPv6', async () => {
    for (const pod of deploymentsOf(await example('ipv6'))) expect(valueOf(pod, 'HTTP_HOST')).toBe('::');
  });

  it('mounts keys of several Secrets, each under its own path, and creates none', async () => {
    const manifests = await example('secrets');
    expect(manifests.map(({ kind }) => kind)).not.toEqual(
      expect.arrayContaining(['Secret', 'ServiceAccount']),
    );
    for (const pod of deploymentsOf(manifests)) {
      expect(pod.serviceAccountName).toBe('poker-workers');
      const { sources } = pod.volumes[0].projected;
      const items = sources.flatMap(({ secret }: any) =>
        (secret.items ?? []).map(({ key, path }: any) => [`${secret.name}/${key}`, path]),
      );
      const paths = Object.fromEntries(items) as Record<string, string>;
      expect(new Set(Object.values(paths)).size).toBe(items.length);
      const { mountPath } = pod.containers[0].volumeMounts[0];
      for (const [variable, source] of Object.entries({
        REDIS_URL_FILE: 'redis-credentials/url',
        AMQP_TLS_CA: 'poker-bridge-tls/ca.crt',
        AMQP_TLS_CERT: 'poker-bridge-tls/tls.crt',
        AMQP_TLS_KEY: 'poker-bridge-tls/tls.key',
      }))
        expect([variable, valueOf(pod, variable)]).toEqual([variable, `${mountPath}/${paths[source]}`]);
      expect(valueOf(pod, 'AMQP_URL_FILE')).toBe(`${mountPath}/amqp-url`);
    }
  });

  it('has one Deployment for both lanes, with the added environment, volume, label and priority', async () => {
    const manifests = await example('small');
    const [pod, ...others] = deploymentsOf(manifests);
    expect(others).toEqual([]);
    expect(valueOf(pod, 'LANES')).toBe(LANES.join(','));
    expect(valueOf(pod, 'NODE_EXTRA_CA_CERTS')).toBe(`${pod.containers[0].volumeMounts[1].mountPath}/ca.pem`);
    expect(valueOf(pod, 'OTEL_RESOURCE_ATTRIBUTES')).toBe('deployment.environment.name=production');
    expect(pod.volumes[1].name).toBe(pod.containers[0].volumeMounts[1].name);
    expect(pod.priorityClassName).toBe('business-critical');
    const [deployment] = manifests.filter(({ kind }) => kind === 'Deployment');
    expect(deployment?.spec.template.metadata).toMatchObject({ labels: { team: 'poker' } });
    const [{ spec: policy }] = manifests.filter(({ kind }) => kind === 'NetworkPolicy') as [Manifest];
    expect(policy.egress).toContainEqual({ ports: [{ port: 4318, protocol: 'TCP' }] });
  });

  it('scales the Deployment of both lanes by both queues', async () => {
    const manifests = await render([
      MINIMUM,
      { lanes: { both: { enabled: true } }, scaling: { enabled: true } },
    ]);
    const scaled = manifests.filter(({ kind }) => kind === 'ScaledObject');
    expect(scaled.map(({ spec }) => spec.scaleTargetRef.name)).toEqual(['game-poker-bridge-both']);
    const queues = scaled[0]?.spec.triggers.map(({ metadata }: any) => [metadata.queueName, metadata.value]);
    expect(queues).toEqual([
      ['poker.interactive', '100'],
      ['poker.reports', '8'],
    ]);
  });

  it('derives valid labels from a version with a build number', async () => {
    using folder = temporaryFolder();
    const chart = join(folder.path, 'poker-bridge');
    cpSync(CHART, chart, { recursive: true, dereference: true });
    const path = join(chart, 'Chart.yaml');
    const text = readFileSync(path, 'utf8').replaceAll(/ersion: 0\.\S+/g, 'ersion: 0.1.0+build.5');
    writeFileSync(path, text);
    const manifests = await render(MINIMUM, { chart });
    const labels = manifests.flatMap(({ metadata }) => Object.values(metadata.labels));
    expect(labels).toEqual(expect.arrayContaining(['poker-bridge-0.1.0_build.5', '0.1.0_build.5']));
    expect(labels.filter((label) => !LABEL.test(label))).toEqual([]);
    expect(deploymentsOf(manifests)[0].containers[0].image).toBe('poker-bridge-worker:0.1.0_build.5');
  });
});
