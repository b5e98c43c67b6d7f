import { flushCompileCache } from 'node:module';

import { build } from './build.ts';
import { type BuiltProgram, startOf } from './programs.ts';

/**
 * Builds `dist` if necessary, and replaces this process by `node dist/…`, which keeps its process id, input
 * and output, receives its signals, and sets its exit code.
 */
export async function runBuilt(program: BuiltProgram): Promise<void> {
  await build();
  const [node, args, variables] = startOf(program, {});
  if (process.execve === undefined) throw new Error(`process.execve is missing on ${process.platform}`);
  // The compile cache is usually written at the end of a process, which this one does not reach.
  flushCompileCache();
  process.execve(node, [node, ...args, ...process.argv.slice(2)], { ...variables, ...process.env });
}
