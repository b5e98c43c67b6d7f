import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import spawn from 'nano-spawn';
import ts from 'typescript';

import { COMMANDS, REPLIES } from '#contracts/validation';

import { fencesOf, read } from '../docs/markdown.ts';
import { CallerProject, nodeReleases } from './packed-package.ts';

const NODE_RELEASES = await nodeReleases();
const [README = '', README_VALIDATION = ''] = fencesOf(read('libs/contracts/README.md')).map(
  ({ text }) => text,
);

/** Programs that use an entry point and print their results as JSON. */
const USE = `
import { CommandError, isFinalReplyType, LANE_OF_COMMAND } from '@poker-bridge/contracts';

const { category, retryable } = new CommandError('RATE_LIMITED');
console.log(JSON.stringify({
  error: [category, retryable],
  lane: LANE_OF_COMMAND['game.open'],
  final: ['report.page', 'report.completed'].map(isFinalReplyType),
}));
`;
const SEEN = { error: ['unavailable', true], lane: 'interactive', final: [false, true] };
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
  [true, 'VALIDATION_FAILED', ['/player/id', '/player/nick', '/session/launchOptions/1']],
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
  /** A project with this package only. */
  const alone = new CallerProject();
  /** A project that also has class-validator. */
  const beside = new CallerProject();
  let files: readonly string[];

  beforeAll(async () => {
    files = await beside.install('libs/contracts');
    await beside.link('class-validator');
    const tarball = (await readdir(beside.path)).find((file) => file.endsWith('.tgz')) ?? '';
    const options = { cwd: alone.path };
    await spawn('npm', ['install', '--offline', '--no-audit', join(beside.path, tarball)], options);
  });

  afterAll(() => {
    alone[Symbol.dispose]();
    beside[Symbol.dispose]();
  });

  it('contains JavaScript and declarations for each file, but no specs or sources', () => {
    const code = files.filter((file) => file.startsWith('dist/'));
    expect(files.filter((file) => !file.startsWith('dist/'))).toEqual(['README.md', 'package.json']);
    expect(code.filter((file) => !/\.(js|d\.ts)$/.test(file))).toEqual(['dist/cjs/package.json']);
    expect(code.filter((file) => /\.(spec|fixture)\./.test(file))).toEqual([]);
  });

  it('installs no other package', async () => {
    const modules = join(alone.path, 'node_modules');
    expect(await readdir(modules)).toEqual(['.package-lock.json', '@poker-bridge']);
    expect(await readdir(join(modules, '@poker-bridge'))).toEqual(['contracts']);
  });

  describe.each(NODE_RELEASES)('on Node.js $version', ({ path }) => {
    it('exports types and codes without class-validator', async () => {
      expect(await printed(path, alone, USE)).toEqual(SEEN);
    });

    it('validates with class-validator, and names it if it is missing', async () => {
      expect(await printed(path, beside, USE_VALIDATION)).toEqual(SEEN_VALIDATION);
      await expect(printed(path, alone, USE_VALIDATION)).rejects.toThrow(
        /Cannot find package 'class-validator'/,
      );
    });
  });

  it('exports the types of all commands and replies, with each member documented for editors', async () => {
    const names = [...COMMANDS, ...REPLIES.values()].map(({ data }) => data.name);
    const types = [...new Set(names)];
    const source = `import type { ${types.join(', ')} } from '@poker-bridge/contracts';
export type All = [${types.join(', ')}];
`;
    const options = { module: 'nodenext', types: [], noEmit: true };
    expect(await alone.compile(options, { 'all.ts': source })).toBe('');
    expect(undocumentedMembers(join(alone.path, 'all.ts'))).toEqual([]);
  });

  it('can also be loaded as CommonJS', async () => {
    alone.write('use.cjs', "console.log(JSON.stringify(Object.keys(require('@poker-bridge/contracts'))))");
    const { stdout } = await alone.run(process.execPath, 'use.cjs');
    expect(JSON.parse(stdout)).toEqual(expect.arrayContaining(['CommandError', 'busNames', 'ERROR_CODES']));
  });

  describe.each([
    ['nodenext', 'nodenext'],
    ['bundler', 'esnext'],
  ])('with moduleResolution %s', (moduleResolution, module) => {
    const options = { module, moduleResolution, types: [], lib: ['es2022'], noEmit: true };

    it('type-checks without class-validator', async () => {
      const sources = { 'consumer.ts': CONSUMER, 'readme.ts': README };
      expect(await alone.compile(options, sources)).toBe('');
    });

    it('type-checks for a caller who validates', async () => {
      const sources = { 'consumer.ts': CONSUMER_VALIDATION, 'readme.ts': README_VALIDATION };
      expect(await beside.compile(options, sources)).toBe('');
    });
  });
});

/** Returns the members without documentation, of the types in the tuple `All` of a file. */
function undocumentedMembers(file: string): string[] {
  const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, types: [], strict: true };
  const program = ts.createProgram([file], options);
  const checker = program.getTypeChecker();
  const [all] = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!);
  const types = checker.getTypeArguments(checker.getDeclaredTypeOfSymbol(all!) as ts.TypeReference);
  return types.flatMap((type) =>
    type
      .getProperties()
      .filter((member) => member.getDocumentationComment(checker).length === 0)
      .map((member) => `${checker.typeToString(type)}.${member.name}`),
  );
}

/** Runs a program and returns its output, parsed as JSON. @throws Error if it prints an error */
async function printed(node: string, project: CallerProject, program: string): Promise<unknown> {
  project.write('use.js', program);
  const { stdout, stderr } = await project.run(node, 'use.js');
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout);
}
