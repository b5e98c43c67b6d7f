import { availableParallelism } from 'node:os';
import { styleText } from 'node:util';

import { Listr, PRESET_TIMER } from 'listr2';
import spawn, { SubprocessError } from 'nano-spawn';

import { root } from '../root.ts';

/**
 * All checks of the repository, the longest first, so that the others run in parallel. `node` is the
 * executable of this process.
 */
const CHECKS: Readonly<Record<string, string>> = {
  types:
    'node node_modules/typescript/bin/tsc --project . --incremental --tsBuildInfoFile .run/check.tsbuildinfo',
  format: 'node node_modules/prettier/bin/prettier.cjs --check --cache --cache-location .run/prettier .',
  boundaries:
    'node node_modules/dependency-cruiser/bin/dependency-cruiser.mjs --config .dependency-cruiser.mjs ' +
    '--output-type err-long apps lab libs scripts test',
  prose: 'node scripts/tasks/prose.ts',
  lint: 'node node_modules/oxlint/bin/oxlint --type-aware --deny-warnings',
  'dead code': 'node node_modules/knip/bin/knip.js --no-progress',
  // npm rejects a lock file that does not match package.json, or that lacks a platform package of an optional
  // dependency because the registry did not have that version.
  'lock file': 'npm ci --dry-run --engine-strict=false --ignore-scripts --no-audit --no-fund',
};

const checks = new Listr(
  Object.entries(CHECKS).map(([title, command]) => {
    const [program = '', ...args] = command.split(' ');
    return { title, task: () => spawn(program, args, { cwd: root, stdin: 'ignore' }) };
  }),
  {
    concurrent: availableParallelism(),
    exitOnError: false,
    collectErrors: true,
    rendererOptions: { timer: PRESET_TIMER, showErrorMessage: false },
    fallbackRendererOptions: { timer: PRESET_TIMER },
  },
);
await checks.run();

const failures = checks.errors ?? [];
for (const { task, error } of failures) {
  const output = error instanceof SubprocessError ? error.output : error.message;
  console.log(`\n${styleText('bold', String(task.title))}\n${output}`);
}
console.log(`\n${checks.tasks.length - failures.length} of ${checks.tasks.length} checks hold`);
process.exitCode = failures.length === 0 ? 0 : 1;
