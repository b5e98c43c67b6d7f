import { join } from 'node:path';

import { FLAGS } from '../launcher/flags.mjs';
import { root } from '../root.ts';

/** A built program, and the options of Node.js for it. */
export interface BuiltProgram {
  /** Relative to `dist`. */
  readonly file: string;
  readonly flags: readonly string[];
  /** Environment variables, unless they are already set. */
  readonly environment: Readonly<Record<string, string>>;
}

const MAPPED = [...FLAGS, '--enable-source-maps'];

export const CLI: BuiltProgram = { file: 'apps/cli/src/main.js', flags: MAPPED, environment: {} };
export const SANDBOX: BuiltProgram = { file: 'apps/sandbox/src/main.js', flags: MAPPED, environment: {} };

/** The worker repeats the same few tasks. Figures: docs/decisions/0008. */
export const WORKER: BuiltProgram = {
  file: 'apps/worker/bundle/main.js',
  flags: [
    ...FLAGS,
    // The default of 3,000 calls would be reached only after ten seconds at 300 commands a second.
    '--invocation-count-for-turbofan=1000',
    // In MiB. The young generation has its final size from the start. While it is smaller, in-flight commands
    // are copied more often, and promoted. It does not grow either: report pages would enlarge it, and a
    // worker would keep that memory.
    '--min-semi-space-size=16',
    '--max-semi-space-size=16',
    // A collection finds a megabyte alive. A second thread costs as much as it saves: a tenth of the time of
    // a command.
    '--no-parallel-scavenge',
    // In MiB. With this size the first full collection happens during startup, before any command is in the
    // heap; otherwise V8 sets the next threshold 40 MiB higher.
    '--initial-old-space-size=24',
    // Records of a report survive a few slices of their page. V8 would therefore allocate later ones in the
    // old generation, and let it grow by 100 MiB.
    '--no-allocation-site-pretenuring',
  ],
  environment: {
    // Settings of glibc. Without the first one, each of V8's threads keeps the memory that it once used for
    // compiling.
    MALLOC_ARENA_MAX: '1',
    // In bytes. This is the default, but glibc raises it over time unless it is set, and the process then
    // keeps some 7 MB of V8's compiler memory.
    MALLOC_MMAP_THRESHOLD_: '131072',
  },
};

/**
 * Returns the command, the arguments and the whole environment with which a built program is started.
 *
 * @param folder a built repository; default: this one
 */
export function startOf(
  { file, flags, environment }: BuiltProgram,
  variables: Readonly<Record<string, string>>,
  folder = root,
): [command: string, args: readonly string[], variables: NodeJS.ProcessEnv] {
  return [process.execPath, [...flags, join(folder, 'dist', file)], { ...environment, ...variables }];
}
