import { beforeAll, describe, expect, it } from '@jest/globals';

import { busNames, type Lane, LANES } from '#contracts';
import { SETTINGS } from '#settings';

import { HealthController, MetricsController } from '../../../apps/worker/src/health/health.controller.ts';
import { documents, read } from '../../docs/markdown.ts';
import { pathOf } from '../../deploy/path-of.ts';
import { faultsOf } from './published-schemas.ts';
import { COMPLETE, environmentIn, lint, type Manifest, MINIMUM, render, settingsIn } from './render.ts';

let minimum: readonly Manifest[];
let complete: readonly Manifest[];

beforeAll(async () => {
  minimum = await render(MINIMUM);
  complete = await render(COMPLETE);
});

const of = (kind: string, manifests = complete): readonly Manifest[] =>
  manifests.filter((manifest) => manifest.kind === kind);
const podOf = ({ spec }: Manifest) => spec.template.spec;
const workerOf = (deployment: Manifest) => podOf(deployment).containers[0];
const environmentOf = (deployment: Manifest) => environmentIn(podOf(deployment));
/** True if a selector matches the pods of a Deployment. */
const finds = ({ matchLabels }: { matchLabels: Record<string, string> }, deployment: Manifest): boolean =>
  Object.entries(matchLabels).every(
    ([name, value]) => deployment.spec.template.metadata.labels[name] === value,
  );

describe('the Helm chart', () => {
  it("passes Helm's own checks", async () => {
    expect(await lint(MINIMUM)).toContain('0 chart(s) failed');
    expect(await lint(COMPLETE)).toContain('0 chart(s) failed');
  });

  it('follows the published schemas of Kubernetes, KEDA and the Prometheus operator', () => {
    expect(complete.length).toBeGreaterThan(minimum.length);
    expect(faultsOf([...minimum, ...complete])).toEqual([]);
    const [deployment] = minimum.filter(({ kind }) => kind === 'Deployment');
    const wrong = { ...deployment, spec: { ...deployment?.spec, replica: 2 } } as Manifest;
    expect(faultsOf([wrong]).join('\n')).toContain('replica');
  });

  it('has a Deployment for each lane, with settings that the worker accepts', () => {
    for (const manifests of [minimum, complete]) {
      const deployments = of('Deployment', manifests);
      expect(deployments.map((deployment) => environmentOf(deployment)['LANES'])).toEqual(LANES);
      for (const deployment of deployments) {
        const environment = environmentOf(deployment);
        expect(environment['TZ']).toBe(manifests === complete ? 'UTC' : undefined);
        delete environment['TZ'];
        const known = Object.entries(SETTINGS).flatMap(([name, setting]) =>
          'isSecret' in setting ? [name, `${name}_FILE`] : [name],
        );
        expect(known).toEqual(expect.arrayContaining(Object.keys(environment)));
        const settings = settingsIn(environment);
        expect(settings).toMatchObject({
          HTTP_HOST: manifests === complete ? '::' : '0.0.0.0',
          HTTP_PORT: workerOf(deployment).ports[0].containerPort,
        });
        const graceS = podOf(deployment).terminationGracePeriodSeconds;
        expect(graceS * 1_000).toBe(settings.SHUTDOWN_GRACE_MS + 15_000);
      }
    }
    const [, reports] = of('Deployment');
    expect(environmentOf(reports!)).toMatchObject({ REPORTS_PREFETCH: '8', EVENTS: 'all' });
  });

  it('accepts cleartext addresses within the pod, and others with ALLOW_CLEARTEXT', async () => {
    const local = { ...MINIMUM.settings, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
    await expect(render({ settings: local })).resolves.not.toEqual([]);
    const allowed = { ...MINIMUM.settings, PLATFORM_API_URL: 'http://a.example', ALLOW_CLEARTEXT: 'true' };
    await expect(render({ settings: allowed })).resolves.not.toEqual([]);
  });

  it('passes secrets as files of the mounted Secret', () => {
    for (const deployment of of('Deployment')) {
      const environment = environmentOf(deployment);
      const { mountPath, readOnly } = workerOf(deployment).volumeMounts[0];
      expect(readOnly).toBe(true);
      expect(podOf(deployment).volumes[0].projected.sources).toEqual([{ secret: { name: 'poker-bridge' } }]);
      expect(environment).toMatchObject({
        AMQP_URL_FILE: `${mountPath}/amqp-url`,
        PLATFORM_SECRET_KEY_FILE: `${mountPath}/platform-secret-key`,
        REDIS_URL_FILE: `${mountPath}/redis-url`,
        OPERATORS_FILE: `${mountPath}/operators.json`,
        AMQP_TLS_CA: `${mountPath}/ca.pem`,
      });
    }
    expect(of('Secret')).toEqual([]);
  });

  it('creates LOG_SUBJECT_KEY unless it is set', () => {
    const [secret] = of('Secret', minimum);
    const [file = '', text = ''] = Object.entries(secret?.data ?? {})[0] ?? [];
    expect(Buffer.from(text, 'base64').toString()).toMatch(/^[A-Za-z0-9]{48}$/);
    for (const deployment of of('Deployment', minimum)) {
      const { mountPath } = workerOf(deployment).volumeMounts[0];
      const [, made] = podOf(deployment).volumes[0].projected.sources;
      expect(made.secret).toEqual({
        name: secret?.metadata.name,
        items: [{ key: file, path: `made/${file}` }],
      });
      expect(environmentOf(deployment)['LOG_SUBJECT_KEY_FILE']).toBe(`${mountPath}/made/${file}`);
    }
  });

  it('probes the health endpoints of the worker', () => {
    for (const deployment of of('Deployment')) {
      const { livenessProbe, readinessProbe, startupProbe, ports } = workerOf(deployment);
      const paths = [livenessProbe, readinessProbe, startupProbe].map(({ httpGet }) => httpGet);
      expect(paths.map(({ path }) => path)).toEqual([
        pathOf(HealthController, 'live'),
        pathOf(HealthController, 'ready'),
        pathOf(HealthController, 'live'),
      ]);
      for (const { port } of paths) expect(port).toBe(ports[0].name);
    }
  });

  it('limits the privileges and resources of a worker', () => {
    for (const deployment of of('Deployment')) {
      expect(podOf(deployment)).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(workerOf(deployment)).toMatchObject({
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        resources: { requests: { cpu: '250m', memory: '384Mi' }, limits: { memory: expect.any(String) } },
      });
    }
  });

  it('selects the workers of one lane in each disruption budget, and all workers elsewhere', () => {
    const deployments = of('Deployment');
    for (const [index, { spec }] of of('PodDisruptionBudget').entries()) {
      const found = deployments.map((deployment) => finds(spec.selector, deployment));
      expect(found).toEqual([index === 0, index === 1]);
    }
    const [policy, service, monitor] = ['NetworkPolicy', 'Service', 'ServiceMonitor'].map(
      (kind) => of(kind)[0]!,
    );
    for (const deployment of deployments) {
      expect(finds(deployment.spec.selector, deployment)).toBe(true);
      expect(finds(policy!.spec.podSelector, deployment)).toBe(true);
      expect(finds({ matchLabels: service!.spec.selector }, deployment)).toBe(true);
    }
    expect(service!.metadata.labels).toMatchObject(monitor!.spec.selector.matchLabels);
    expect(monitor!.spec.endpoints).toEqual([
      { port: service!.spec.ports[0].name, path: pathOf(MetricsController, 'read'), interval: '15s' },
    ]);
    expect(policy!.spec.policyTypes).toEqual(['Ingress', 'Egress']);
  });

  it('scales each lane by its queue over HTTP, so that KEDA counts messages in flight', () => {
    const names = busNames(COMPLETE.settings.AMQP_PREFIX).lanes;
    const deployments = of('Deployment').map(({ metadata }) => metadata.name);
    const scaled = of('ScaledObject');
    expect(scaled.map(({ spec }) => spec.scaleTargetRef.name)).toEqual(deployments);
    for (const [index, { spec }] of scaled.entries()) {
      const [trigger] = spec.triggers;
      expect(trigger.metadata).toMatchObject({
        queueName: names[LANES[index] as Lane],
        protocol: 'http',
        excludeUnacknowledged: 'false',
        mode: 'QueueLength',
      });
      expect(trigger.authenticationRef.name).toBe(of('TriggerAuthentication')[0]?.metadata.name);
    }
    for (const deployment of of('Deployment')) expect(deployment.spec).not.toHaveProperty('replicas');
  });

  it('renders the names that kubectl commands in the documents use', async () => {
    const deployments = of('Deployment', await render(MINIMUM, { release: 'poker-bridge' }));
    const text = [...documents(), 'apps/cli/src/trace/trace.ts'].map(read).join('\n');
    const named = new Set([...text.matchAll(/ deployment\/([\w-]+)/g)].map(([, name]) => name));
    expect([...named]).toEqual(['poker-bridge-interactive']);
    expect(deployments.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining([...named]));
    const selectors = [...text.matchAll(/kubectl [^\n]*logs -l (\S+)=(\S+)/g)];
    expect(selectors.length).toBeGreaterThan(1);
    for (const [, label = '', value = ''] of selectors)
      for (const deployment of deployments)
        expect(finds({ matchLabels: { [label]: value } }, deployment)).toBe(true);
  });

  it.each([
    ['no address of the platform', { settings: {} }, /missing properties 'PLATFORM_BASE_URL'/],
    [
      'a secret among the settings',
      { settings: { ...MINIMUM.settings, PLATFORM_SECRET_KEY: 's' } },
      /PLATFORM_SECRET_KEY/,
    ],
    [
      'alerts without the address of the runbook',
      { ...MINIMUM, prometheusRule: { enabled: true } },
      /runbookUrl.*does not match pattern/s,
    ],
    ['a value that it does not know', { ...MINIMUM, replicas: 2 }, /replicas/],
    [
      'a platform in cleartext',
      { settings: { ...MINIMUM.settings, PLATFORM_API_URL: 'http://a.example' } },
      /ALLOW_CLEARTEXT/,
    ],
    ['an annotation that is no string', { ...MINIMUM, podAnnotations: { a: 1 } }, /podAnnotations/],
    ['an invalid label', { ...MINIMUM, podLabels: { a: 'b c' } }, /podLabels/],
    [
      'a label that selects pods',
      { ...MINIMUM, podLabels: { 'app.kubernetes.io/name': 'b' } },
      /invalid propertyName 'app.kubernetes.io\/name'/,
    ],
    [
      'a number that is none',
      { settings: { ...MINIMUM.settings, PLATFORM_CONNECTIONS: 'abc' } },
      /PLATFORM_CONNECTIONS.*does not match/s,
    ],
    ...['0', '65536', '-1', '1e3', ''].map((text): [string, object, RegExp] => [
      `a prefetch of '${text}'`,
      { ...MINIMUM, lanes: { interactive: { settings: { INTERACTIVE_PREFETCH: text } } } },
      /INTERACTIVE_PREFETCH.*does not match/s,
    ]),
    ['an unknown level', { settings: { ...MINIMUM.settings, LOG_LEVEL: 'loud' } }, /LOG_LEVEL/],
    ['no service account', { ...MINIMUM, serviceAccount: { create: false } }, /serviceAccount/],
    [
      'no lane',
      { ...MINIMUM, lanes: { interactive: { enabled: false }, reports: { enabled: false } } },
      /at least one/,
    ],
    [
      'fewer workers at most than at least',
      { ...MINIMUM, lanes: { reports: { scaling: { min: 5 } } } },
      /min 5 is more than max 4/,
    ],
  ])('rejects %s, and says why', async (_what, values, message) => {
    await expect(render(values)).rejects.toThrow(message);
  });
});
