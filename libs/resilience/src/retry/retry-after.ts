const SECONDS = /^\d+$/;
/** The three forms of an HTTP date all begin with the day's name; the oldest has no zone and means GMT. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;
const WITHOUT_ZONE = /\d{4}$/;
/** A longer wait is not believed. */
const MAX_MS = 24 * 60 * 60 * 1000;

/**
 * The wait that a `Retry-After` header asks for, in milliseconds from `nowMs`; at most a day.
 *
 * @returns 0 for a date that has passed, `undefined` if the header is absent or is neither seconds nor a date
 * @see RFC 9110, section 10.2.3
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const value = header?.trim() ?? '';
  if (SECONDS.test(value)) return Math.min(Number(value) * 1000, MAX_MS);
  if (!HTTP_DATE.test(value)) return undefined;
  const atMs = Date.parse(WITHOUT_ZONE.test(value) ? `${value} GMT` : value);
  return Number.isNaN(atMs) ? undefined : Math.min(Math.max(atMs - nowMs, 0), MAX_MS);
}
