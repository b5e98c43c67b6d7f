import { readSource } from './read-source.ts';

/**
 * A value that must not stand among the arguments, where every user of the machine can read it: `@FILE` is the content of a file,
 * `@-` that of standard input, without the end of its last line; anything else is the value itself.
 *
 * @throws ExitError if the file cannot be read or is not UTF-8
 */
export async function readValue(given: string): Promise<string> {
  return given.startsWith('@') ? (await readSource(given.slice(1))).replace(/\r?\n$/, '') : given;
}
