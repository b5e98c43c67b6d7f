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

/**
 * A value that must not stand among the arguments, where every user of the machine can read it: `@FILE` is the content of a file,
 * `@-` that of standard input, without the end of its last line; anything else is the value itself.
 *
 * @throws ExitError if the file cannot be read or is not UTF-8
 */
export async function readValue(given: string): Promise<string> {
  return given.startsWith('@') ? (await readSource(given.slice(1))).replace(/\r?\n$/, '') : given;
}
