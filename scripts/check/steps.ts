import { join } from 'node:path';

import { root } from '../root.ts';

/** One thing that is checked, and the command that checks it: exit code 0 says that it holds. */
export interface CheckStep {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** What the repository is held to, the longest first, so that the others run beside it. */
export const CHECK_STEPS: readonly CheckStep[] = [
  step(
    'types',
    'typescript/bin/tsc',
    '--project',
    '.',
    '--incremental',
    '--tsBuildInfoFile',
    '.run/check.tsbuildinfo',
  ),
  step('format', 'prettier/bin/prettier.cjs', '--check', '--cache', '--cache-location', '.run/prettier', '.'),
  step('boundaries', 'dependency-cruiser/bin/dependency-cruiser.mjs', ...boundaries()),
  step('lint', 'oxlint/bin/oxlint', '--type-aware', '--deny-warnings'),
  step('dead code', 'knip/bin/knip.js', '--no-progress'),
  { name: 'lock file', command: process.execPath, args: [join(root, 'scripts/check/lock-file.mjs')] },
];

/** A program of node_modules, run by the Node.js that runs this one. */
function step(name: string, program: string, ...args: string[]): CheckStep {
  return { name, command: process.execPath, args: [join(root, 'node_modules', program), ...args] };
}

function boundaries(): string[] {
  return [
    '--config',
    '.dependency-cruiser.mjs',
    '--output-type',
    'err-long',
    'apps',
    'libs',
    'scripts',
    'test',
  ];
}
