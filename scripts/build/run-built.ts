import { flushCompileCache } from 'node:module';

import { build } from './build.ts';
import { type BuiltProgram, startOf } from './programs.ts';

/**
 * Brings `dist` up to date and turns this process into `node dist/…`: process id, input, output, signals and
 * exit code are then the program's own.
 */
export async function runBuilt(program: BuiltProgram): Promise<void> {
  await build();
  const [node, args, variables] = startOf(program, {});
  if (process.execve === undefined) throw new Error(`process.execve is missing on ${process.platform}`);
  // It is kept at the end of a process otherwise, and this one has none.
  flushCompileCache();
  process.execve(node, [node, ...args, ...process.argv.slice(2)], { ...variables, ...process.env });
}
