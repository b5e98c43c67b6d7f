import { LONGEST_DEADLINE_MS } from '#contracts';

/** Smaller numbers count seconds since 1970, larger ones milliseconds. Source: bus contract, section 2. */
const LEAST_EPOCH_MS = 1e11;
/** A smaller number is not a date of these decades, but probably a duration. */
const LEAST_EPOCH_SECONDS = 1e9;
const INTEGER = /^-?\d{1,16}$/;
const ISO_8601_WITH_ZONE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)$/;
const ZONE_IN_HOURS = /[+-]\d{2}$/;

/** A deadline in epoch milliseconds, or the rule that the header `x-deadline` breaks. */
export type ReadDeadline = { readonly atMs: number } | { readonly rule: string };

/**
 * Returns the time at which the caller stops waiting: the header; otherwise the lane's budget from the time
 * of sending, if that is known and not in the future, or from receipt. Source: bus contract, section 2.
 *
 * @param header `x-deadline`
 * @param timestamp the property
 * @param budgetMs the default of the lane
 */
export function readDeadline(
  header: unknown,
  timestamp: unknown,
  budgetMs: number,
  nowMs: number,
): ReadDeadline {
  const latest = nowMs + LONGEST_DEADLINE_MS;
  if (header === undefined || header === null) {
    const sentAtMs = sentAtMsOf(timestamp) ?? nowMs;
    return { atMs: Math.min(Math.min(sentAtMs, nowMs) + budgetMs, latest) };
  }
  const number = typeof header === 'string' && INTEGER.test(header) ? Number(header) : header;
  if (typeof number === 'number' && number < LEAST_EPOCH_MS) return { rule: ruleFor(number) };
  const atMs = typeof number === 'number' ? number : momentOf(header);
  if (!Number.isSafeInteger(atMs)) return { rule: 'ISO 8601 with a zone, or epoch milliseconds' };
  // A copy contains its deadline as a number, which must not be interpreted as seconds.
  return { atMs: Math.min(Math.max(atMs, LEAST_EPOCH_MS), latest) };
}

/**
 * Returns when a message was sent, epoch milliseconds. The property `timestamp` is in seconds, or by mistake
 * in milliseconds.
 */
export function sentAtMsOf(timestamp: unknown): number | undefined {
  if (typeof timestamp !== 'number') return undefined;
  return timestamp > LEAST_EPOCH_MS ? timestamp : timestamp * 1000;
}

function ruleFor(number: number): string {
  const meant =
    number < LEAST_EPOCH_SECONDS
      ? `${number} is probably a duration, and the moment is the present time plus ${number}`
      : `${number} is probably in seconds, and the moment is ${number * 1000}`;
  return `epoch milliseconds: ${meant}`;
}

function momentOf(value: unknown): number {
  if (typeof value !== 'string' || !ISO_8601_WITH_ZONE.test(value) || !isDay(value.slice(0, 10))) return NaN;
  // `Date` requires the minutes of a zone.
  return Date.parse(ZONE_IN_HOURS.test(value) ? `${value}:00` : value);
}

/** `Date` reads 30 February as 2 March. */
function isDay(date: string): boolean {
  return new Date(date).toJSON()?.startsWith(date) ?? false;
}
