const DIGITS = /^\d+$/;
/** The three forms of an HTTP date all begin with the day's name; the oldest has no zone and means GMT. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;
const WITHOUT_ZONE = /\d{4}$/;
/** A longer wait is not believed. */
const MAX_MS = 24 * 60 * 60 * 1000;
/** Larger numbers of seconds, and then of milliseconds, are moments since 1970: 2001 and later. */
const EPOCH_S = 1e9;
const EPOCH_MS = 1e12;
/** The members of a `RateLimit` header: what remains, and the seconds until it is reset, in both forms of its drafts. */
const REMAINING = /(?:^|[\s,;])(?:remaining|r)\s*=\s*(\d+)/;
const RESET = /(?:^|[\s,;])(?:reset|t)\s*=\s*(\d+)/;
const RESET_HEADERS = ['ratelimit-reset', 'ratelimit', 'x-rate-limit-reset', 'x-ratelimit-reset'] as const;

/** The headers of an answer, by their names in lower case. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns the milliseconds to wait according to the headers of a failed answer, relative to `nowMs`; at most a day.
 * `Retry-After` counts first, then the headers of a rate limit, which other answers than a 429 carry without meaning a wait.
 *
 * @returns 0 for a moment that has passed, `undefined` if no header can be read
 * @see RFC 9110, section 10.2.3, and the drafts of the RateLimit header fields
 */
export function readRetryAfter(status: number, headers: Headers, nowMs: number): number | undefined {
  const names = status === 429 ? (['retry-after', ...RESET_HEADERS] as const) : (['retry-after'] as const);
  for (const name of names) {
    const value = headers[name] ?? '';
    // A proxy may have added another one.
    const [first = ''] = typeof value === 'string' ? [value] : value;
    const waitMs = waitOf(name === 'ratelimit' ? resetIn(first) : first.trim(), nowMs);
    if (waitMs !== undefined) return waitMs;
  }
  return undefined;
}

function waitOf(value: string, nowMs: number): number | undefined {
  let atMs: number;
  if (DIGITS.test(value)) {
    const number = Number(value);
    if (number < EPOCH_S) return Math.min(number * 1000, MAX_MS);
    atMs = number < EPOCH_MS ? number * 1000 : number;
  } else {
    if (!HTTP_DATE.test(value)) return undefined;
    atMs = Date.parse(WITHOUT_ZONE.test(value) ? `${value} GMT` : value);
  }
  return Number.isNaN(atMs) ? undefined : Math.min(Math.max(atMs - nowMs, 0), MAX_MS);
}

/** The reset of the policy that is used up, the latest one of several; else of the first policy. */
function resetIn(value: string): string {
  // In the older form, the commas separate the members of one policy.
  const policies = value.includes(';') ? value.split(',') : [value];
  const resets = policies.map((policy) => ({
    isUsedUp: Number(REMAINING.exec(policy)?.[1]) === 0,
    reset: RESET.exec(policy)?.[1] ?? '',
  }));
  const usedUp = resets
    .filter(({ isUsedUp }) => isUsedUp)
    .toSorted((one, other) => Number(other.reset) - Number(one.reset));
  return (usedUp[0] ?? resets[0])?.reset ?? '';
}
