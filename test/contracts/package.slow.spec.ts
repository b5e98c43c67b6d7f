import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import * as contracts from '#contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { nodeReleases } from './node-releases.ts';
import { installPacked } from './packed-package.ts';

const run = promisify(execFile);
const TSC = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
const README = join(import.meta.dirname, '../../libs/contracts/README.md');
const NODE_RELEASES = await nodeReleases();

/** Uses the package, and prints what it saw as JSON; `contracts` is what importing or requiring it gave. */
const USE = `
const faults = [];
for (const [type, data] of [
  ['session.create', { userId: 'p-1', lang: 'en' }],
  ['session.create', { userId: '..', foo: 1 }],
  ['game.open', { player: { nick: 5 }, session: { launchOptions: '{"1":1}' } }],
]) {
  try {
    faults.push(Object.getPrototypeOf(contracts.validateCommand(type, data)).constructor.name);
  } catch (error) {
    faults.push([error instanceof contracts.CommandError, error.code, error.violations.map((v) => v.pointer)]);
  }
}
console.log(JSON.stringify({ exports: Object.keys(contracts).sort(), faults }));
`;
const SEEN = {
  exports: Object.keys(contracts).toSorted(),
  faults: [
    'SessionCreate',
    [true, 'VALIDATION_FAILED', ['/foo', '/userId']],
    [true, 'VALIDATION_FAILED', ['/player/id', '/player/nick', '/session/launchOptions']],
  ],
};

const CONSUMER = `
import { type CommandData, type ErrorCode, type Reply, validateCommand } from '@poker-bridge/contracts';

const session: CommandData['session.create'] = { userId: 'p-1', authType: 'internal' };
export const userId: string = validateCommand('session.create', session).userId;
export const tableId: number | undefined = validateCommand('game.open', {}).session?.tableId;
export function say(reply: Reply): string | ErrorCode {
  switch (reply.type) {
    case 'session.created':
      return reply.data.redirectUrl;
    case 'game.opened':
      return reply.data.url;
    case 'report.page':
      return reply.data.records.map(({ id }) => id).join();
    case 'report.completed':
      return reply.data.totalCount.toFixed();
    case 'command.failed':
      return reply.data.code;
    default:
      return JSON.stringify(reply);
  }
}
// @ts-expect-error no such command
validateCommand('session.destroy', {});
// @ts-expect-error no such code
export const code: ErrorCode = 'NO_SUCH_CODE';
// @ts-expect-error no such member
export const unknown: CommandData['session.create'] = { userId: 'p-1', foo: 1 };
// @ts-expect-error player is required
export const missing: CommandData['game.open'] = {};
`;

describe('the packed @poker-bridge/contracts', () => {
  let folder: string;
  let files: readonly string[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'contracts-'));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    files = await installPacked('libs/contracts', folder);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('holds JavaScript and declarations for each file, no specs, no sources', () => {
    const code = files.filter((file) => file.startsWith('dist/'));
    expect(files.filter((file) => !file.startsWith('dist/'))).toEqual(['README.md', 'package.json']);
    expect(code).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts']));
    expect(code.filter((file) => !/\.(js|d\.ts)$/.test(file))).toEqual([]);
    expect(code.filter((file) => /\.(spec|fixture)\./.test(file))).toEqual([]);
  });

  describe.each(NODE_RELEASES)('on Node.js $version', ({ path }) => {
    it('can be imported', async () => {
      await writeFile(join(folder, 'use.js'), `import * as contracts from '@poker-bridge/contracts';${USE}`);
      const { stdout, stderr } = await run(path, [join(folder, 'use.js')]);
      expect({ stderr, seen: JSON.parse(stdout) }).toEqual({ stderr: '', seen: SEEN });
    });
  });

  it.each(['nodenext', 'bundler'])(
    'type-checks for a caller with moduleResolution %s',
    async (moduleResolution) => {
      const [, example] = /```ts\n(.*?)```/s.exec(await readFile(README, 'utf8')) ?? [];
      await writeFile(join(folder, 'consumer.ts'), CONSUMER);
      await writeFile(join(folder, 'readme.ts'), example ?? '');
      const compilerOptions = {
        target: 'es2022',
        module: moduleResolution === 'nodenext' ? 'nodenext' : 'esnext',
        moduleResolution,
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        types: [],
        lib: ['es2022'],
        noEmit: true,
      };
      const project = join(folder, `tsconfig.${moduleResolution}.json`);
      await writeFile(project, JSON.stringify({ compilerOptions, files: ['consumer.ts', 'readme.ts'] }));
      const checked = run(process.execPath, [TSC, '--project', project]).then(
        () => '',
        (failure: { stdout: string }) => failure.stdout,
      );
      expect(await checked).toBe('');
    },
    20_000,
  );
});
