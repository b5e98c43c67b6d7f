import { InvalidArgumentError } from 'commander';

/** The longest deadline of a command. Source: bus contract, section 2. */
const LONGEST_DEADLINE_MS = 20 * 60 * 1000;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const AGO = /^(\d{1,6})([smhd])$/;
const ISO_8601 = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2}))?$/;

export function readCount(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be an integer from ${least} to ${most}.`);
  };
}

export const readDeadline = readCount(1, LONGEST_DEADLINE_MS);

/** Reads a time ago, or a date (its midnight in UTC) or time of ISO 8601 with a zone, as epoch milliseconds. */
export function readMoment(text: string): number {
  const [, count, unit = ''] = AGO.exec(text) ?? [];
  if (count !== undefined) return Date.now() - Number(count) * (UNIT_MS[unit] ?? 0);
  const atMs = ISO_8601.test(text) && isDate(text.slice(0, 10)) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(atMs)) return atMs;
  throw new InvalidArgumentError(
    'It must be a time ago, such as 30m, 12h or 2d, or a date or time of ISO 8601 with a zone.',
  );
}

/** Whether a text is a day as `YYYY-MM-DD`. February has no 30th, although the parser takes it. */
export function isDate(text: string): boolean {
  const atMs = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(text);
}

/** Collects the values of an option that may be given several times. */
export function each<T>(read: (text: string) => T): (text: string, before?: readonly T[]) => readonly T[] {
  return (text, before = []) => [...before, read(text)];
}

/** The options of a subcommand: texts, flags and numbers, each absent if it is not given. */
export type Options<
  Text extends string = never,
  Flag extends string = never,
  Count extends string = never,
> = { readonly [N in Text]?: string } & { readonly [N in Flag]?: true } & { readonly [N in Count]?: number };
