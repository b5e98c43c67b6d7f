import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { build } from './build/build.ts';
import { runGuarded } from './processes/guarded-command.ts';
import { root } from './root.ts';

const JEST = [
  '--disable-warning=ExperimentalWarning',
  '--experimental-vm-modules',
  join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
];
/** More files than these do not fail by chance. */
const REPEATED_FILES = 6;

interface FileOutcome {
  readonly path: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * Runs Jest on what is built, and prints `N passed, N failed` last (`, N skipped` if some were). In CI (`CI` is set), whose
 * machine may be busy with something else, the files that failed run once more, one at a time; those that then pass are named.
 *
 * @param patterns of the specs' paths; default: all
 * @returns its exit code
 */
export async function runJest(options: readonly string[], patterns: readonly string[]): Promise<number> {
  await build(root);
  // Behind an option with one value, patterns are not taken for further values of an option with several.
  const config = ['--config', join(root, 'jest.config.mjs')];
  let { code, files } = await jestOnce([...options, ...config, ...patterns]);
  const failed = files.filter((file) => file.failed > 0);
  if (process.env['CI'] && failed.length > 0 && failed.length <= REPEATED_FILES) {
    const paths = failed.map((file) => file.path);
    console.log(`\nfailed, and run once more by themselves:\n${paths.join('\n')}\n`);
    const again = await jestOnce([...options, '--runInBand', ...config, '--runTestsByPath', ...paths]);
    const unstable = again.files.filter((file) => file.failed === 0).map((file) => file.path);
    if (unstable.length > 0) console.log(`failed once, passed the second time:\n${unstable.join('\n')}`);
    ({ code } = again);
    files = [...files.filter((file) => file.failed === 0), ...again.files];
  }
  const total = (count: 'passed' | 'failed' | 'skipped') => files.reduce((sum, file) => sum + file[count], 0);
  const skipped = total('skipped');
  console.log(
    `${total('passed')} passed, ${total('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
  );
  return code;
}

/** Runs Jest to its end; no outcomes if it was cut off. */
async function jestOnce(args: readonly string[]): Promise<{ code: number; files: readonly FileOutcome[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'poker-bridge-test-'));
  const summaryFile = join(folder, 'summary');
  try {
    const env = { ...process.env, TEST_SUMMARY_FILE: summaryFile };
    const code = await runGuarded(process.execPath, [...JEST, ...args], env);
    const written = existsSync(summaryFile) ? readFileSync(summaryFile, 'utf8') : '[]';
    return { code, files: JSON.parse(written) as FileOutcome[] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
