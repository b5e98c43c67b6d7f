import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

import { parseExactJson } from '#signing';

import { usageError } from './exit.ts';

/** The content of a file or, for `-`, of standard input. @throws ExitError if it cannot be read or is not UTF-8 */
export async function readSource(path: string): Promise<string> {
  const name = path === '-' ? 'the standard input' : path;
  let content: Buffer;
  try {
    content = path === '-' ? await buffer(process.stdin) : await readFile(path);
  } catch (error) {
    throw usageError(`${name} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
  const text = utf8Of(content);
  if (text === undefined) throw usageError(`${name} is not UTF-8`);
  return text;
}

export function utf8Of(content: Buffer): string | undefined {
  return isUtf8(content) ? content.toString() : undefined;
}

/**
 * A value that must not be an argument, where every user of the machine can read it: `@FILE` is the content of a file, `@-` that
 * of standard input, without the end of its last line; anything else is the value itself. @throws ExitError like `readSource`
 */
export async function readValue(given: string): Promise<string> {
  return given.startsWith('@') ? (await readSource(given.slice(1))).replace(/\r?\n$/, '') : given;
}

/** The JSON of an option, unchanged: JSON, `@FILE`, or `-` for standard input. @throws ExitError if it is not JSON */
export async function readJson(option: string, given: string): Promise<string> {
  const text = await readValue(given === '-' ? '@-' : given);
  const fault = jsonFault(text);
  if (fault !== undefined) throw usageError(`${option} ${fault}`);
  return text;
}

/** What a text says as JSON, digit for digit; the fallback if it is not JSON. */
export function jsonOr(fallback: unknown, text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return fallback;
  }
}

/** Where a text stops being JSON, without quoting it, since it may hold a secret; `undefined` if it is JSON. */
export function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const [place = ''] = /\(?line \d+ column \d+\)?|position \d+/.exec((error as Error).message) ?? [];
    return `is not JSON ${place}`.trimEnd();
  }
}
