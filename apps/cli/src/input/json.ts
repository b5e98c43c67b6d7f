import { exactJson } from '#signing';

import { usageError } from '../exit.ts';
import { readValue } from './read-source.ts';

/** A value for people: a text as it is, anything else as its exact JSON. */
export function written(value: unknown): string {
  return typeof value === 'string' ? value : exactJson(value);
}

/** Where a text stops being JSON, without quoting it, since it may hold a secret; `undefined` if it is JSON. */
export function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    const [place = ''] = /\(?line \d+ column \d+\)?/.exec(message) ?? /position \d+/.exec(message) ?? [];
    return `is not JSON ${place}`.trimEnd();
  }
}

/**
 * The JSON of an option, unchanged.
 *
 * @param given JSON, `@FILE`, or `-` for standard input
 * @throws ExitError if it is not JSON, or the file cannot be read
 */
export async function readJson(option: string, given: string): Promise<string> {
  const text = await readValue(given === '-' ? '@-' : given);
  const fault = jsonFault(text);
  if (fault !== undefined) throw usageError(`${option} ${fault}`);
  return text;
}
