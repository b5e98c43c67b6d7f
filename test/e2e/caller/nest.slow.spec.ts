import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { Program } from '../../../scripts/processes/program.ts';
import { root } from '../../../scripts/root.ts';
import { CallerProject } from '../../contracts/packed-package.ts';
import { fencesOf, read } from '../../docs/markdown.ts';
import { openConnection, testBrokerCtl, testBrokerUrl, uniquePrefix } from '../../support/broker.ts';
import { installFromNpm } from '../../support/npm-project.ts';
import { type SandboxedService, startSandboxedService } from '../commands/sandboxed-service.ts';

const SERVICE = join(root, 'examples/nest/service');
const SOURCES = ['app.module.ts', 'main.ts'];
const NEST_PARTS = ['common', 'core', 'microservices', 'platform-express', 'terminus'];
const NEST_12 = [
  ...NEST_PARTS.map((name) => `@nestjs/${name}`),
  '@types/node',
  'amqp-connection-manager',
  'reflect-metadata',
  'rxjs',
];
const NEST_11 =
  '@nestjs/common@11.2.10 @nestjs/core@11.2.10 @nestjs/microservices@11.2.6 @nestjs/platform-express@11.2.10 ' +
  '@nestjs/terminus@11.1.1 @nestjs/testing@11.2.6 reflect-metadata@0.2.2 rxjs@7.8.2';
const OF_NEST_NEW = 'jest@29.7.0 ts-jest@29.4.15 @types/jest@29.5.14 typescript@5.9.3 @types/node@22.20.5';
/** The compiler options that `nest new` 11 generated before it switched to ES modules. */
const TS_COMMONJS = {
  module: 'commonjs',
  moduleResolution: 'node',
  target: 'ES2023',
  declaration: true,
  emitDecoratorMetadata: true,
  experimentalDecorators: true,
  allowSyntheticDefaultImports: true,
  esModuleInterop: true,
  strict: true,
  skipLibCheck: true,
  types: ['node', 'jest'],
};
const JEST = {
  moduleFileExtensions: ['js', 'json', 'ts'],
  rootDir: '.',
  testRegex: String.raw`.*\.spec\.ts$`,
  transform: { [String.raw`^.+\.(t|j)s$`]: 'ts-jest' },
  moduleNameMapper: { [String.raw`^(\./.*)\.js$`]: '$1' },
  modulePathIgnorePatterns: ['<rootDir>/repository'],
  testEnvironment: 'node',
};

async function installCaller(project: CallerProject): Promise<void> {
  for (const lib of ['contracts', 'rabbitmq', 'caller']) await project.install(`libs/${lib}`);
}

describe('examples/nest/service', () => {
  const project = new CallerProject();
  let sandboxed: SandboxedService;

  beforeAll(async () => {
    await cp(SERVICE, project.path, { recursive: true });
    [sandboxed] = await Promise.all([startSandboxedService({}), installCaller(project)]);
    await project.link(...NEST_12);
  });

  afterAll(async () => {
    await using bus = await openConnection();
    for (const queue of ['announcements', 'replies.0'])
      await bus.channel.deleteQueue(`example-nest.${queue}`);
    await sandboxed?.[Symbol.asyncDispose]();
    project[Symbol.dispose]();
  });

  it('opens lobbies, maps failures to HTTP, reports its health and receives announcements', async () => {
    const options = { emitDecoratorMetadata: true, experimentalDecorators: true, types: ['node'] };
    const sources = Object.fromEntries(SOURCES.map((file) => [file, read(`examples/nest/service/${file}`)]));
    expect(await project.compile(options, sources)).toBe('');
    const { url: AMQP_URL, prefix: AMQP_PREFIX } = sandboxed.service;
    const env = { AMQP_URL, AMQP_PREFIX, PORT: '0' };
    await using service = new Program(process.execPath, [join(project.path, 'main.js')], env);
    const url = await service.says(/listening on (\S+)/);
    const get = async (path: string) => {
      const response = await fetch(`${url}${path}`);
      return { status: response.status, body: (await response.json()) as object };
    };
    expect(await get('/lobbies/alice')).toMatchObject({
      status: 200,
      body: { url: expect.stringMatching(/lobby/) },
    });
    expect(await get('/lobbies/%2e%2e%01')).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', retryable: false, violations: [{ pointer: '/player/id' }] },
    });
    expect(await get('/health')).toMatchObject({
      status: 200,
      body: { info: { 'poker-bridge': { status: 'up' } } },
    });
    await service.says(/game\.open \S+ (failed: VALIDATION_FAILED)/);
  });
});

describe('a CommonJS project with NestJS 11 and ts-jest', () => {
  const shop = uniquePrefix();
  const project = new CallerProject();

  beforeAll(async () => {
    await cp(SERVICE, project.path, { recursive: true });
    const [modules] = await Promise.all([
      installFromNpm('nest-11', `${NEST_11} ${OF_NEST_NEW}`.split(' ')),
      installCaller(project),
    ]);
    const names = (await readdir(modules)).filter((name) => !/^[.@]/.test(name));
    const scoped = async (scope: string) =>
      (await readdir(join(modules, scope))).map((name) => `${scope}/${name}`);
    await project.linkFrom(modules, ...names, ...(await scoped('@nestjs')), ...(await scoped('@types')));
  });

  afterAll(async () => {
    await using bus = await openConnection();
    await bus.channel.deleteQueue(`${shop}.replies.0`);
    project[Symbol.dispose]();
  });

  const passed = { code: 0, stderr: expect.stringContaining('1 passed, 1 total') };

  async function resultOfJest(heading: string, variables: Readonly<Record<string, string>> = {}) {
    const [spec] = fencesOf(read('docs/caller.md')).filter((fence) => fence.heading === heading);
    project.write('package.json', '{ "private": true }');
    project.write('jest.config.json', JSON.stringify(JEST));
    project.write(
      'tsconfig.json',
      JSON.stringify({ compilerOptions: TS_COMMONJS, files: ['app.module.ts'] }),
    );
    project.write('lobbies.spec.ts', spec!.text.replaceAll("name: 'shop'", `name: '${shop}'`));
    const jest = join(project.path, 'node_modules/jest/bin/jest.js');
    const args = [jest, '--config', join(project.path, 'jest.config.json')];
    const env = { ...process.env, ...variables };
    return await new Program(process.execPath, args, env).result;
  }

  it('compiles the example and runs the test of docs/caller.md without a broker', async () => {
    expect(await resultOfJest('Test a NestJS service')).toMatchObject(passed);
  });

  it('runs the test of docs/caller.md with a sandbox that it starts and stops', async () => {
    const variables = { POKER_BRIDGE_CHECKOUT: root, AMQP_URL: testBrokerUrl() };
    expect(await resultOfJest('Test against the sandbox', variables)).toMatchObject(passed);
    expect(await testBrokerCtl('list_queues', 'name')).not.toContain('poker-fixture-');
  });

  it('runs the test of docs/caller.md with a sandbox that is running', async () => {
    await using sandboxed = await startSandboxedService();
    const { url: AMQP_URL, prefix: AMQP_PREFIX } = sandboxed.service;
    const variables = { AMQP_URL, AMQP_PREFIX, SANDBOX_URL: sandboxed.platform.url };
    expect(await resultOfJest('Test against the sandbox', variables)).toMatchObject(passed);
  });

  it('shares one CallerError between ES modules and CommonJS', async () => {
    project.write(
      'both.mjs',
      `import { createRequire } from 'node:module';
import { CallerError } from '@poker-bridge/caller';
const required = createRequire(import.meta.url)('@poker-bridge/caller');
console.log(CallerError !== required.CallerError);
console.log(required.CallerError.of('NO_WORKER') instanceof CallerError, new Error() instanceof CallerError);
`,
    );
    const { stdout, stderr } = await project.run(process.execPath, 'both.mjs');
    expect({ stdout, stderr }).toEqual({ stdout: 'true\ntrue false\n', stderr: '' });
  });
});
