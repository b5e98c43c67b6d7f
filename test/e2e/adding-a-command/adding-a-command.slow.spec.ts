import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { root } from '../../../scripts/root.ts';
import { type WalkthroughFile, walkthroughFiles } from '../../docs/walkthrough.ts';

const run = promisify(execFile);

const COPIED = [
  'README.md',
  'SECURITY.md',
  'apps',
  'docs',
  'libs',
  'scripts',
  'test',
  '.prettierrc.json',
  '.swcrc',
  'jest.config.mjs',
  'package.json',
  'tsconfig.json',
];

/** A copy of this repository's sources, with its packages. */
class CopiedRepository implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'poker-bridge-copy-'));

  constructor() {
    const isSource = (path: string): boolean => !/\/(dist|node_modules)$/.test(path);
    for (const path of COPIED)
      cpSync(join(root, path), join(this.#folder, path), { recursive: true, filter: isSource });
    symlinkSync(join(root, 'node_modules'), join(this.#folder, 'node_modules'));
  }

  /** `undefined` if there is no such file. */
  read(path: string): string | undefined {
    const file = join(this.#folder, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }

  write(path: string, text: string): void {
    const file = join(this.#folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** The output of a program that Node.js runs in it. @throws Error with all of its output if it fails */
  async node(...args: readonly string[]): Promise<string> {
    const ran = run(process.execPath, args, { cwd: this.#folder });
    const { stdout, stderr } = await ran.catch((error: Error & { stdout: string; stderr: string }) => {
      throw new Error(`node ${args.join(' ')} failed:\n${error.stdout}\n${error.stderr}`, { cause: error });
    });
    return stdout + stderr;
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Under 40 s together on an idle machine; other suites run beside this one. */
const TIMEOUT_MS = 180_000;

const files = walkthroughFiles();
const ofDefinition = files.filter(({ path }) => /^libs.contracts.src.(commands.)?[\w-]+\.ts$/.test(path));
/** Specs that cover every command, and those that the walkthrough adds. */
const SPECS = [
  'libs/contracts/src/commands/(commands|session-close)',
  'libs/messaging/src/idempotency/redis-entries',
  'apps/worker/src/commands/handlers',
  'apps/cli/src/send/',
  'test/contracts/compatibility',
  'test/docs/(names|operations)',
  'test/e2e/commands/session-close',
];
const TYPES = {
  extends: './tsconfig.json',
  compilerOptions: { incremental: true, tsBuildInfoFile: '.run/types' },
  include: [
    'apps/worker/src/main.ts',
    'libs/contracts/src/commands/session-close.spec.ts',
    'test/e2e/commands/session-close.spec.ts',
  ],
};

describe('docs/adding-a-command.md', () => {
  let repository: CopiedRepository;
  const write = (some: readonly WalkthroughFile[]): void => {
    for (const { path, apply } of some) repository.write(path, apply(repository.read(path)));
  };
  const types = () => repository.node('node_modules/typescript/bin/tsc', '--project', 'tsconfig.types.json');

  beforeAll(() => {
    repository = new CopiedRepository();
    repository.write('tsconfig.types.json', JSON.stringify(TYPES));
  });

  afterAll(() => repository?.[Symbol.dispose]());

  it('is at most eleven files, tests and documentation included', () => {
    expect(new Set(files.map(({ path }) => path)).size).toBeLessThanOrEqual(11);
  });

  it(
    'begins with a definition that does not compile until it is handled and called',
    async () => {
      write(ofDefinition);
      const output = await types().catch(String);
      const faults = [...output.matchAll(/^(\S+)\(\d+,\d+\): error .*"session\.close"' is missing/gm)];
      expect(faults.map(([, path]) => path).toSorted()).toEqual([
        'apps/worker/src/commands/handlers.ts',
        'libs/platform/src/operations.ts',
      ]);
      expect(output.match(/: error /g)).toHaveLength(faults.length);
    },
    TIMEOUT_MS,
  );

  it(
    'adds a command that compiles, is documented and tested, and works over the bus',
    async () => {
      write(files.filter((file) => !ofDefinition.includes(file)));
      await repository.node('scripts/tasks/contract.ts');
      expect(repository.read('docs/messages.md')).toContain('### `session.close`');
      const [output] = await Promise.all([repository.node('scripts/tasks/test.ts', ...SPECS), types()]);
      expect(output).toMatch(/^\d+ passed, 0 failed$/m);
      expect(output).toContain('PASS test/e2e/commands/session-close.spec.ts');
      for (const spec of SPECS) expect(output).toMatch(new RegExp(`^PASS ${spec}`, 'm'));
    },
    TIMEOUT_MS,
  );
});
