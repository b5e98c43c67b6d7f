import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { fencesOf, read, root } from '../docs/markdown.ts';
import { installPacked, linkPackages, nodeReleases } from './packed-package.ts';

const run = promisify(execFile);
const TSC = join(root, 'node_modules/typescript/bin/tsc');
const NODE_RELEASES = await nodeReleases();
const [README, README_VALIDATION] = fencesOf(read('libs/contracts/README.md')).map(({ text }) => text);

/** Programs that use an entry and print what they saw as JSON. */
const USE = `
import { CommandError, isFinalReplyType, LANE_OF_COMMAND } from '@poker-bridge/contracts';

const { category, retryable } = new CommandError('RATE_LIMITED');
console.log(JSON.stringify({
  error: [category, retryable],
  lane: LANE_OF_COMMAND['game.open'],
  final: ['report.page', 'report.completed'].map(isFinalReplyType),
}));
`;
const SEEN = {
  error: ['unavailable', true],
  lane: 'interactive',
  final: [false, true],
};
const USE_VALIDATION = `
import { CommandError } from '@poker-bridge/contracts';
import { validateCommand } from '@poker-bridge/contracts/validation';

const faults = [];
for (const [type, data] of [
  ['session.create', { userId: 'p-1', lang: 'en' }],
  ['session.create', { userId: '..', foo: 1 }],
  ['game.open', { player: { nick: 5 }, session: { launchOptions: '{"1":1}' } }],
]) {
  try {
    faults.push(Object.getPrototypeOf(validateCommand(type, data)).constructor.name);
  } catch (error) {
    faults.push([error instanceof CommandError, error.code, error.violations.map((v) => v.pointer)]);
  }
}
console.log(JSON.stringify(faults));
`;
const SEEN_VALIDATION = [
  'SessionCreate',
  [true, 'VALIDATION_FAILED', ['/foo', '/userId']],
  [true, 'VALIDATION_FAILED', ['/player/id', '/player/nick', '/session/launchOptions']],
];

const CONSUMER = `
import type { CommandData, ErrorCode, Reply, ReplyTo, SessionCreate } from '@poker-bridge/contracts';
import { type GameOpen, GamePlayer } from '@poker-bridge/contracts';

const session: CommandData['session.create'] = { userId: 'p-1', authType: 'internal' };
export const same: SessionCreate = session;
export const tableOf = (data: GameOpen): number | undefined => data.session?.tableId;
// @ts-expect-error the class itself is exported by the entry for validation
export const player: unknown = GamePlayer;
export const last: ReplyTo<'report.rake.fetch'>['type'][] = ['report.page', 'report.completed'];
export function say(reply: Reply): string | ErrorCode {
  switch (reply.type) {
    case 'session.created':
      return reply.data.redirectUrl;
    case 'command.failed':
      return reply.data.code;
    default:
      return JSON.stringify(reply);
  }
}
// @ts-expect-error no such code
export const code: ErrorCode = 'NO_SUCH_CODE';
// @ts-expect-error no such member
export const unknown: CommandData['session.create'] = { userId: 'p-1', foo: 1 };
// @ts-expect-error player is required
export const missing: CommandData['game.open'] = {};
`;
const CONSUMER_VALIDATION = `
import { validateCommand } from '@poker-bridge/contracts/validation';

export const userId: string = validateCommand('session.create', {}).userId;
export const tableId: number | undefined = validateCommand('game.open', {}).session?.tableId;
// @ts-expect-error no such command
validateCommand('session.destroy', {});
`;

describe('the packed @poker-bridge/contracts', () => {
  /** An empty folder in which the package was installed. */
  let alone: string;
  /** One in which class-validator was installed as well. */
  let beside: string;
  let files: readonly string[];

  beforeAll(async () => {
    [alone, beside] = await Promise.all([newFolder(), newFolder()]);
    files = await installPacked('libs/contracts', beside);
    await linkPackages(['class-validator'], beside);
    const tarball = (await readdir(beside)).find((file) => file.endsWith('.tgz')) ?? '';
    await run('npm', ['install', '--offline', '--no-audit', join(beside, tarball)], { cwd: alone });
  });

  afterAll(() => Promise.all([alone, beside].map((folder) => rm(folder, { recursive: true, force: true }))));

  it('holds JavaScript and declarations for each file, no specs, no sources', () => {
    const code = files.filter((file) => file.startsWith('dist/'));
    expect(files.filter((file) => !file.startsWith('dist/'))).toEqual(['README.md', 'package.json']);
    expect(code.filter((file) => !/\.(js|d\.ts)$/.test(file))).toEqual([]);
    expect(code.filter((file) => /\.(spec|fixture)\./.test(file))).toEqual([]);
  });

  it('brings no other package', async () => {
    expect(await readdir(join(alone, 'node_modules'))).toEqual(['.package-lock.json', '@poker-bridge']);
    expect(await readdir(join(alone, 'node_modules/@poker-bridge'))).toEqual(['contracts']);
  });

  describe.each(NODE_RELEASES)('on Node.js $version', ({ path }) => {
    it('gives types and codes without class-validator', async () => {
      expect(await printed(path, alone, USE)).toEqual(SEEN);
    });

    it('validates with class-validator, and names it if it is missing', async () => {
      expect(await printed(path, beside, USE_VALIDATION)).toEqual(SEEN_VALIDATION);
      await expect(printed(path, alone, USE_VALIDATION)).rejects.toThrow(
        /Cannot find package 'class-validator'/,
      );
    });
  });

  describe.each(['nodenext', 'bundler'])('with moduleResolution %s', (moduleResolution) => {
    it('type-checks without class-validator', async () => {
      const sources = { 'consumer.ts': CONSUMER, 'readme.ts': README };
      expect(await faultsOf(alone, moduleResolution, sources)).toBe('');
    }, 20_000);

    it('type-checks for a caller who validates', async () => {
      const sources = { 'consumer.ts': CONSUMER_VALIDATION, 'readme.ts': README_VALIDATION };
      expect(await faultsOf(beside, moduleResolution, sources)).toBe('');
    }, 20_000);
  });
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'contracts-'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  return folder;
}

/** What a program prints, as JSON. @throws Error if it fails or prints an error */
async function printed(node: string, folder: string, program: string): Promise<unknown> {
  await writeFile(join(folder, 'use.js'), program);
  const { stdout, stderr } = await run(node, [join(folder, 'use.js')]);
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout);
}

/** What the compiler says of files in a folder, whose declarations it checks as well. */
async function faultsOf(
  folder: string,
  moduleResolution: string,
  sources: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  for (const [file, text] of Object.entries(sources)) await writeFile(join(folder, file), text ?? '');
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
  await writeFile(project, JSON.stringify({ compilerOptions, files: Object.keys(sources) }));
  return run(process.execPath, [TSC, '--project', project]).then(
    () => '',
    (failure: { stdout: string }) => failure.stdout,
  );
}
