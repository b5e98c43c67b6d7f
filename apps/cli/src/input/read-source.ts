import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

import { usageError } from '../exit.ts';

/** The content of a file or, for `-`, of standard input. @throws ExitError if it cannot be read or is not UTF-8 */
export async function readSource(path: string): Promise<string> {
  const name = path === '-' ? 'the standard input' : path;
  let content: Buffer;
  try {
    content = path === '-' ? await buffer(process.stdin) : await readFile(path);
  } catch (error) {
    throw usageError(`${name} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    throw usageError(`${name} is not UTF-8`);
  }
}
