import { beforeAll, describe, expect, it } from '@jest/globals';
import spawn, { type SubprocessError } from 'nano-spawn';

import { walkthroughFiles } from '../../docs/walkthrough.ts';
import { repositoryCopy } from '../../support/repository-copy.ts';

const files = walkthroughFiles();
const ofDefinition = files.filter(({ path }) => /^libs.contracts.src.(commands.)?[\w-]+\.ts$/.test(path));
/** Specs that cover every command, and those that the walkthrough adds. */
const SPECS = [
  'libs/contracts/src/commands/(commands|session-close)',
  'libs/messaging/src/idempotency/redis-entries',
  'apps/cli/src/send',
  'test/contracts/compatibility',
  'test/docs/(names|operations)',
  'test/e2e/commands/session-close',
];
const TYPES = {
  extends: './tsconfig.json',
  compilerOptions: {
    incremental: true,
    tsBuildInfoFile: '.run/types',
    // Those of the copy; its packages lead to this repository.
    paths: { '@poker-bridge/*': ['./libs/*/src/index.ts'] },
  },
  include: [
    'apps/*/src/main.ts',
    'libs/caller/src/index.ts',
    'scripts/tasks/contract.ts',
    'libs/contracts/src/commands/session-close.spec.ts',
    'test/e2e/commands/session-close.spec.ts',
  ],
};

describe('docs/adding-a-command.md', () => {
  const copy = repositoryCopy();
  const write = (some: typeof files): void => {
    for (const { path, apply } of some) copy.write(path, apply(copy.read(path)));
  };
  /** The output of a program that Node.js runs in the copy. @throws Error with all of its output if it fails */
  const node = (...args: readonly string[]): Promise<string> =>
    spawn(process.execPath, args, { cwd: copy.path }).then(
      ({ output }) => output,
      ({ message, output, cause }: SubprocessError) => {
        throw new Error(`${message}\n${output}`, { cause });
      },
    );
  const types = () => node('node_modules/typescript/bin/tsc', '--project', 'tsconfig.types.json');

  beforeAll(() => copy.write('tsconfig.types.json', JSON.stringify(TYPES)));

  it('is nine files, five of them new, as it says', () => {
    const paths = [...new Set(files.map(({ path }) => path))];
    expect([paths.length, paths.filter((path) => copy.read(path) === undefined).length]).toEqual([9, 5]);
    expect(copy.read('docs/adding-a-command.md')).toMatch(/takes nine files, five of\s+them new/);
  });

  it('begins with a definition that does not compile until it is handled and called', async () => {
    write(ofDefinition);
    const output = await types().catch(String);
    const faults = [...output.matchAll(/^(\S+)\(\d+,\d+\): error .*"session\.close"' is missing/gm)];
    expect(faults.map(([, path]) => path).toSorted()).toEqual([
      'apps/worker/src/commands/handlers.ts',
      'libs/platform/src/operations/operations.ts',
    ]);
    expect(output.match(/: error /g)).toHaveLength(faults.length);
  });

  it('adds a command that compiles, is documented and tested, and works over the bus', async () => {
    write(files.filter((file) => !ofDefinition.includes(file)));
    await node('node_modules/prettier/bin/prettier.cjs', '--check', ...files.map(({ path }) => path));
    await node('scripts/tasks/contract.ts');
    expect(copy.read('docs/messages.md')).toContain('### `session.close`');
    const [output] = await Promise.all([node('scripts/tasks/test.ts', ...SPECS), types()]);
    expect(output).toMatch(/^\d+ passed, 0 failed$/m);
    expect(output).toContain('PASS test/e2e/commands/session-close.spec.ts');
    for (const spec of SPECS) expect(output).toMatch(new RegExp(`^PASS ${spec}`, 'm'));
  });
});
