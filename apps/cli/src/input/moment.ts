import { InvalidArgumentError } from 'commander';

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const AGO = /^(\d{1,6})([smhd])$/;
const ISO_8601 = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2}))?$/;

/**
 * Reads a moment that somebody types: a time ago, or a date or time of ISO 8601 with a zone. A date is its midnight in UTC.
 *
 * @returns epoch milliseconds
 * @throws InvalidArgumentError if it is neither
 */
export function readMoment(text: string): number {
  const [, count, unit = ''] = AGO.exec(text) ?? [];
  if (count !== undefined) return Date.now() - Number(count) * (UNIT_MS[unit] ?? 0);
  const atMs = ISO_8601.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(atMs)) return atMs;
  throw new InvalidArgumentError(
    'It must be a time ago, such as 30m, 12h or 2d, or a date or time of ISO 8601 with a zone.',
  );
}
