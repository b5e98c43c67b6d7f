import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { CallerProject, nodeReleases } from '../../contracts/packed-package.ts';
import { fencesOf, read } from '../../docs/markdown.ts';
import { openConnection, uniquePrefix } from '../../support/broker.ts';
import { type SandboxedService, startSandboxedService } from '../commands/sandboxed-service.ts';

const NODE_RELEASES = await nodeReleases();
/** Packages that a Nest service already has. */
const NEST = '@nestjs/common @nestjs/core @nestjs/microservices @types/node reflect-metadata rxjs'.split(' ');
const COMPILER = { experimentalDecorators: true, emitDecoratorMetadata: true, types: ['node'] };

const fences = fencesOf(read('docs/caller.md')).filter(
  // Tested by nest.slow.spec.ts.
  ({ language, heading }) =>
    language === 'ts' && !['Test against the sandbox', 'Test a NestJS service'].includes(heading),
);
const isOfNest = ({ heading }: { readonly heading: string }) => heading === 'NestJS';
const textOf = (some: readonly { readonly text: string }[]) => some.map(({ text }) => text).join('\n');

/** The samples of the document as one program; the test adds the waiting and closing at its end. */
const SAMPLES = `${textOf(fences.filter((fence) => !isOfNest(fence)))}
while (inbox.size === 0) await new Promise((resolve) => setTimeout(resolve, 20));
console.log('inbox:', [...inbox.values()].map(({ type }) => type).join());
// Each waits for a signal of the caller: Node.js 20 warns of more than ten.
await Promise.all(Array.from({ length: 20 }, () => caller.createSession({ userId: 'alice' })));
await service.close();
await caller.close();
`;
const NEST_SAMPLE = `import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { CallerClientProxy } from '@poker-bridge/caller/nest';
import { lastValueFrom, toArray } from 'rxjs';
${textOf(fences.filter(isOfNest))}
const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error'] });
console.log('lobby:', await app.get(Lobby).urlFor('alice'));
const client = app.get(CallerClientProxy);
const session = await lastValueFrom(client.send('session.create', { userId: 'alice' }));
console.log('session of', session.userId);
const day = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00', perPage: 5 };
const replies = await lastValueFrom(client.send('report.rake.fetch', day).pipe(toArray()));
console.log(replies.length - 1, 'pages of', replies.at(-1).pages);
const refused = await lastValueFrom(client.send('session.create', { userId: '' })).catch((error) => error);
console.log(refused.name, refused.code);
await app.close();
`;

describe('the packed @poker-bridge/caller', () => {
  const name = uniquePrefix();
  const project = new CallerProject();
  let files: readonly string[];
  let sandboxed: SandboxedService;

  beforeAll(async () => {
    [sandboxed] = await Promise.all([
      startSandboxedService({ sandbox: { SANDBOX_REPORT_RECORDS: '25', SANDBOX_UNKNOWN_PLAYERS: 'refuse' } }),
      install(),
    ]);
  });

  afterAll(async () => {
    await using bus = await openConnection();
    for (const instance of ['0', '1', 'outbox', 'nest'])
      await bus.channel.deleteQueue(`${name}.replies.${instance}`);
    await sandboxed?.[Symbol.asyncDispose]();
    project[Symbol.dispose]();
  });

  async function install(): Promise<void> {
    await project.install('libs/contracts');
    await project.install('libs/rabbitmq');
    files = await project.install('libs/caller');
    await project.link(...NEST);
  }

  const start = (node: string, file: string) => project.run(node, file, { AMQP_URL: sandboxed.service.url });

  it('contains JavaScript and declarations for each file, and no specs or sources', () => {
    const code = files.filter((file) => file.startsWith('dist/'));
    expect(files.filter((file) => !file.startsWith('dist/'))).toEqual(['README.md', 'package.json']);
    const entries = ['index', 'nest/index', 'testing/index'].flatMap((entry) => [
      `${entry}.js`,
      `${entry}.d.ts`,
    ]);
    expect(code).toEqual(
      expect.arrayContaining(entries.flatMap((file) => [`dist/${file}`, `dist/cjs/${file}`])),
    );
    const others = code.filter((file) => !/\.(js|d\.ts)$/.test(file) || /\.(spec|fixture)\./.test(file));
    expect(others).toEqual(['dist/cjs/package.json']);
  });

  it('compiles the samples of its pages', async () => {
    const [readme] = fencesOf(read('libs/caller/README.md'));
    const adapted = `name: '${name}', prefix: '${sandboxed.service.prefix}'`;
    const [samples, nest] = [SAMPLES, NEST_SAMPLE].map((text) => text.replaceAll("name: 'shop'", adapted));
    const sources = { 'samples.ts': samples!, 'nest.ts': nest!, 'readme.ts': readme!.text };
    expect(await project.compile(COMPILER, sources)).toBe('');
  });

  it.each(NODE_RELEASES)('runs the samples of docs/caller.md on Node.js $version', async ({ path }) => {
    const { stdout, stderr } = await start(path, 'samples.js');
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/^lobby: http:\S+lang=de$/),
      'unknown player',
      expect.stringMatching(/^\d+\.\d\d EUR in \d+ records$/),
      'https://poker.example/lobby after 2 attempts',
      'inbox: session.created',
    ]);
  });

  it('serves a Nest application', async () => {
    const { stdout, stderr } = await start(process.execPath, 'nest.js');
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/^lobby: http:/),
      'session of alice',
      '3 pages of 3',
      'CallerError VALIDATION_FAILED',
    ]);
  });
});
