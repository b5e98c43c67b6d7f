import { existsSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { build } from './build.ts';
import type { BuiltProgram } from './programs.ts';
import { root } from '../root.ts';

/**
 * Brings `dist` up to date and turns this process into `node dist/…`: process id, input, output, signals and exit
 * code are then the program's own.
 *
 * @param args of the program
 */
export async function runBuilt(program: BuiltProgram, args: readonly string[]): Promise<void> {
  await build(root);
  const file = join(root, 'dist', program.file);
  if (!existsSync(file)) throw new Error(`${program.file} was not built: it has no source`);
  const argv = [process.execPath, ...program.flags, file, ...args];
  if (process.execve === undefined) throw new Error(`process.execve is missing on ${process.platform}`);
  // It is kept at the end of a process otherwise, and this one has none.
  flushCompileCache();
  process.execve(process.execPath, argv, { ...program.environment, ...process.env });
}
