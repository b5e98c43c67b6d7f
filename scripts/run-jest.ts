import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { build } from './build/build.ts';
import { runGuarded } from './processes/run-guarded.ts';
import { root } from './root.ts';

const JEST = [
  '--disable-warning=ExperimentalWarning',
  '--experimental-vm-modules',
  join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
];
const ENDING_TIMEOUT_MS = 15_000;
const POLL_MS = 500;

/**
 * Runs Jest on what is built to its end, and prints `N passed, N failed` last.
 *
 * @param patterns of the specs' paths; default: all
 * @returns its exit code
 */
export async function runJest(options: readonly string[], patterns: readonly string[]): Promise<number> {
  await build(root);
  const folder = mkdtempSync(join(tmpdir(), 'poker-bridge-test-'));
  const summaryFile = join(folder, 'summary');
  const hanging = new AbortController();
  const watch = setInterval(endWhatHangs, POLL_MS);
  try {
    // Behind an option with one value, patterns are not taken for further values of an option with several.
    const args = [...JEST, ...options, '--config', join(root, 'jest.config.mjs'), ...patterns];
    const env = { ...process.env, TEST_SUMMARY_FILE: summaryFile };
    const code = await runGuarded(process.execPath, args, { env, abort: hanging.signal });
    process.stdout.write(readSummary());
    return code;
  } finally {
    clearInterval(watch);
    rmSync(folder, { recursive: true, force: true });
  }

  /** Jest waits for ever if a suite has left something open; the summary is the last thing it has to say. */
  function endWhatHangs(): void {
    if (readSummary() === '') return;
    clearInterval(watch);
    setTimeout(() => {
      process.stderr.write('poker-bridge: a suite has left something open, and Jest was ended\n');
      hanging.abort();
    }, ENDING_TIMEOUT_MS).unref();
  }

  /** Empty until the run has come to its end. */
  function readSummary(): string {
    try {
      return readFileSync(summaryFile, 'utf8');
    } catch {
      return '';
    }
  }
}
