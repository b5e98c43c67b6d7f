import { join } from 'node:path';

import { FLAGS } from '../launcher/flags.mjs';
import { root } from '../root.ts';

/** A built program, and how Node.js is started for it. */
export interface BuiltProgram {
  /** Relative to `dist`. */
  readonly file: string;
  readonly flags: readonly string[];
  /** Variables, unless there are others of their names. */
  readonly environment: Readonly<Record<string, string>>;
}

const MAPPED = [...FLAGS, '--enable-source-maps'];

export const CLI: BuiltProgram = { file: 'apps/cli/src/main.js', flags: MAPPED, environment: {} };
export const SANDBOX: BuiltProgram = { file: 'apps/sandbox/src/main.js', flags: MAPPED, environment: {} };

/** It does the same few things all day. Figures: docs/decisions/0008. */
export const WORKER: BuiltProgram = {
  file: 'apps/worker/bundle/main.js',
  flags: [
    ...FLAGS,
    // The default of 3,000 would take ten seconds at 300 commands a second.
    '--invocation-count-for-turbofan=1000',
    // MiB. The young generation begins as large as it becomes: while it is small, commands under way are
    // copied more often, and taken for old. It stays so, too: pages of reports would have it grow, and a
    // worker would keep that.
    '--min-semi-space-size=16',
    '--max-semi-space-size=16',
    // A collection finds a megabyte alive. A second thread takes as long to help as it saves: a tenth of a
    // command.
    '--no-parallel-scavenge',
    // MiB. The first full collection then falls into the start. Else it sees commands, and by what it leaves
    // the next one waits until the worker is 40 MiB larger.
    '--initial-old-space-size=24',
    // Records of a report live for some slices of their page. V8 took that for a sign that they live long,
    // made them in the old generation from then on, and let that grow by 100 MiB.
    '--no-allocation-site-pretenuring',
  ],
  environment: {
    // Settings of glibc. Without this one, each of V8's threads keeps the memory that it once needed to
    // compile something.
    MALLOC_ARENA_MAX: '1',
    // Bytes, its default, which grows unless it is set: what V8 has compiled with then stays with the
    // process, some 7 MB.
    MALLOC_MMAP_THRESHOLD_: '131072',
  },
};

/**
 * What a built program is started with: a command, its arguments and all of its variables.
 *
 * @param folder of a repository that is built; default: this one
 */
export function startOf(
  { file, flags, environment }: BuiltProgram,
  variables: Readonly<Record<string, string>>,
  folder = root,
): [command: string, args: readonly string[], variables: NodeJS.ProcessEnv] {
  return [process.execPath, [...flags, join(folder, 'dist', file)], { ...environment, ...variables }];
}
