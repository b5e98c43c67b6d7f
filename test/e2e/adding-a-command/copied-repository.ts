import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { root } from '../../../scripts/root.ts';

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
export class CopiedRepository implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'poker-bridge-copy-'));

  constructor() {
    const isSource = (path: string): boolean => !/\/(dist|node_modules)$/.test(path);
    for (const path of COPIED)
      cpSync(join(root, path), join(this.#folder, path), { recursive: true, filter: isSource });
    symlinkSync(join(root, 'node_modules'), join(this.#folder, 'node_modules'));
  }

  /** `undefined` if there is no such file. */
  read(path: string): string | undefined {
    try {
      return readFileSync(join(this.#folder, path), 'utf8');
    } catch {
      return undefined;
    }
  }

  write(path: string, text: string): void {
    const file = join(this.#folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** The output of a program that Node.js runs in it. @throws Error with all of its output if it fails */
  async node(...args: readonly string[]): Promise<string> {
    try {
      const { stdout, stderr } = await run(process.execPath, [...args], {
        cwd: this.#folder,
        env: process.env,
      });
      return stdout + stderr;
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`node ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error });
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
