import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../build/build.ts';
import { endWithNpm } from '../processes/end-with-npm.ts';
import { runGuarded } from '../processes/run-guarded.ts';
import { root } from '../root.ts';

const JEST = [
  '--disable-warning=ExperimentalWarning',
  '--experimental-vm-modules',
  join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
  '--config',
  join(root, 'jest.config.mjs'),
];

endWithNpm();
await build(root);
const folder = mkdtempSync(join(tmpdir(), 'poker-bridge-test-'));
const summaryFile = join(folder, 'summary');
try {
  const env = { ...process.env, TEST_SUMMARY_FILE: summaryFile };
  process.exitCode = await runGuarded(process.execPath, [...JEST, ...process.argv.slice(2)], { env });
  process.stdout.write(readSummary());
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Empty where the run did not come to its end. */
function readSummary(): string {
  try {
    return readFileSync(summaryFile, 'utf8');
  } catch {
    return '';
  }
}
