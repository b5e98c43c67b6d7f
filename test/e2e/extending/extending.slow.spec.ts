import { beforeAll, describe, expect, it } from '@jest/globals';
import spawn, { type SubprocessError } from 'nano-spawn';

import { walkthroughFiles } from '../../docs/walkthrough.ts';
import { repositoryCopy } from '../../support/repository-copy.ts';

const files = walkthroughFiles('A command');
const ofDefinition = files.filter(({ path }) => /^libs.contracts.src.(commands.)?[\w-]+\.ts$/.test(path));
/** Specs that cover every command, setting and error code, including those that the page adds. */
const SPECS = [
  'libs/contracts/src/commands/(commands|player-balance-fetch)',
  'libs/messaging/src/idempotency/redis-entries',
  'apps/cli/src/send',
  'test/contracts/compatibility',
  'test/contracts/openapi',
  'test/docs/(names|operations|settings)',
  'test/integration/sandbox/endpoints',
  'test/e2e/commands/player-balance-fetch',
];
const TYPES = {
  extends: './tsconfig.json',
  compilerOptions: {
    incremental: true,
    tsBuildInfoFile: '.run/types',
    // Use the sources of the copy, because its installed packages link to this repository.
    paths: { '@poker-bridge/*': ['./libs/*/src/index.ts'] },
  },
  include: [
    'apps/*/src/main.ts',
    'libs/caller/src/index.ts',
    'scripts/tasks/contract.ts',
    'libs/contracts/src/commands/player-balance-fetch.spec.ts',
    'test/integration/sandbox/endpoints',
    'test/e2e/commands/player-balance-fetch.spec.ts',
  ],
};

describe('docs/extending.md', () => {
  const copy = repositoryCopy();
  const write = (some: typeof files): void => {
    for (const { path, apply } of some) copy.write(path, apply(copy.read(path)));
  };
  /**
   * Runs a program with Node.js in the copy, and returns its output.
   *
   * @throws Error with all of its output if it fails
   */
  const node = (...args: readonly string[]): Promise<string> =>
    spawn(process.execPath, args, { cwd: copy.path }).then(
      ({ output }) => output,
      ({ message, output, cause }: SubprocessError) => {
        throw new Error(`${message}\n${output}`, { cause });
      },
    );
  const types = () => node('node_modules/typescript/bin/tsc', '--project', 'tsconfig.types.json');

  beforeAll(() => copy.write('tsconfig.types.json', JSON.stringify(TYPES)));

  it('adds a command with ten files, four of them new, as it says', () => {
    const paths = [...new Set(files.map(({ path }) => path))];
    expect([paths.length, paths.filter((path) => copy.read(path) === undefined).length]).toEqual([10, 4]);
    expect(copy.read('docs/extending.md')).toMatch(/takes ten files,\s+four of them new/);
  });

  it.each(['A setting', 'An error code'] as const)('adds %s with three files', (part) => {
    const some = walkthroughFiles(part);
    expect(some).toHaveLength(3);
    write(some);
  });

  it('begins a command with a definition that does not compile until it is called', async () => {
    write(ofDefinition);
    const output = await types().catch(String);
    const faults = [...output.matchAll(/^(\S+)\(\d+,\d+\): error .*"player\.balance\.fetch"' is missing/gm)];
    expect(faults.map(([, path]) => path)).toEqual(['libs/platform/src/operations/operations.ts']);
    expect(output.match(/: error /g)).toHaveLength(faults.length);
  });

  it('adds a command, a setting and an error code that compile, are documented and tested, and work', async () => {
    write(files.filter((file) => !ofDefinition.includes(file)));
    await node(
      'node_modules/prettier/bin/prettier.cjs',
      '--check',
      ...walkthroughFiles().map(({ path }) => path),
    );
    await node('scripts/tasks/contract.ts');
    expect(copy.read('docs/messages.md')).toContain('### `player.balance.fetch`');
    const [output] = await Promise.all([node('scripts/tasks/test.ts', ...SPECS), types()]);
    expect(output).toMatch(/^\d+ passed, 0 failed$/m);
    expect(output).toContain('PASS test/e2e/commands/player-balance-fetch.spec.ts');
    for (const spec of SPECS) expect(output).toMatch(new RegExp(`^PASS ${spec}`, 'm'));
  });
});
