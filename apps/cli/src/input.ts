import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

import { InvalidArgumentError } from 'commander';

import { LONGEST_DEADLINE_MS } from '#contracts';
import { parseExactJson } from '#signing';

import { usageError } from './exit.ts';

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const AGO = /^(\d{1,6})([smhd])$/;
const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/;
const ISO_8601 = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2}))?$/;

export type Options<
  Text extends string = never,
  Flag extends string = never,
  Count extends string = never,
> = { readonly [N in Text]?: string } & { readonly [N in Flag]?: true } & { readonly [N in Count]?: number };

export function readCount(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be an integer from ${least} to ${most}.`);
  };
}

export const readDeadline = readCount(1, LONGEST_DEADLINE_MS);

/**
 * Reads a time ago, a time of today in UTC, or a date (its midnight in UTC) or time of ISO 8601 with a zone,
 * as epoch milliseconds.
 */
export function readMoment(text: string): number {
  const [, count, unit = ''] = AGO.exec(text) ?? [];
  if (count !== undefined) return Date.now() - Number(count) * (UNIT_MS[unit] ?? 0);
  if (TIME_OF_DAY.test(text)) return Date.parse(`${new Date().toISOString().slice(0, 10)}T${text}Z`);
  const atMs = ISO_8601.test(text) && isDate(text.slice(0, 10)) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(atMs)) return atMs;
  throw new InvalidArgumentError(
    'It must be a time ago, such as 30m, 12h or 2d, a time of today in UTC, such as 10:00, ' +
      'or a date or time of ISO 8601 with a zone.',
  );
}

/** True for a day as `YYYY-MM-DD`. `Date.parse` also accepts days that do not exist, such as 30 February. */
export function isDate(text: string): boolean {
  const atMs = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(text);
}

export function each<T>(read: (text: string) => T): (text: string, before?: readonly T[]) => readonly T[] {
  return (text, before = []) => [...before, read(text)];
}

/** Reads a file or, for `-`, standard input. @throws ExitError if it cannot be read or is not UTF-8 */
export async function readSource(path: string): Promise<string> {
  const content = await readBytes(path);
  if (!isUtf8(content)) throw usageError(`${nameOf(path)} is not UTF-8`);
  return content.toString();
}

export async function readBytes(path: string): Promise<Buffer> {
  try {
    return await (path === '-' ? buffer(process.stdin) : readFile(path));
  } catch (error) {
    throw usageError(
      `${nameOf(path)} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    );
  }
}

function nameOf(path: string): string {
  return path === '-' ? 'the standard input' : path;
}

/**
 * Reads a value, or `@FILE`, or `@-` for standard input: every user of the machine can see the arguments.
 *
 * @throws ExitError if the file cannot be read
 */
export async function readValue(given: string): Promise<string> {
  return given.startsWith('@') ? (await readSource(given.slice(1))).replace(/\r?\n$/, '') : given;
}

/**
 * Reads the JSON of an option, unchanged: JSON, `@FILE`, or `-` for standard input.
 *
 * @throws ExitError if invalid
 */
export async function readJson(option: string, given: string): Promise<string> {
  const text = await readValue(given === '-' ? '@-' : given);
  parseJson(text, option);
  return text;
}

/**
 * Parses JSON, digit for digit.
 *
 * @throws ExitError with the position of the error, without quoting the text
 */
export function parseJson(text: string, name: string): unknown {
  try {
    return parseExactJson(text);
  } catch (error) {
    const [place] = /line \d+ column \d+/.exec((error as Error).message) ?? [];
    throw usageError(`${name} is not JSON${place === undefined ? '' : ` (${place})`}`);
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function jsonOr(fallback: unknown, text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return fallback;
  }
}
