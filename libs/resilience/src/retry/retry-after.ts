const DIGITS = /^\d+$/;
/**
 * All three formats of an HTTP date begin with the name of the day; the oldest has no time zone and means
 * GMT.
 */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;
const WITHOUT_ZONE = /\d{4}$/;
/** Longer waits are capped. */
const MAX_MS = 24 * 60 * 60 * 1000;
/** Larger numbers are timestamps since 1970, in seconds or in milliseconds: 2001 and later. */
const EPOCH_S = 1e9;
const EPOCH_MS = 1e12;
/**
 * The fields of a `RateLimit` header, in both formats of its drafts: the remaining quota and the seconds
 * until its reset.
 */
const REMAINING = /(?:^|[\s,;])(?:remaining|r)\s*=\s*(\d+)/;
const RESET = /(?:^|[\s,;])(?:reset|t)\s*=\s*(\d+)/;
const RESET_HEADERS = ['ratelimit-reset', 'ratelimit', 'x-rate-limit-reset', 'x-ratelimit-reset'] as const;

/** Response headers, keyed by their names in lower case. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns the milliseconds to wait according to the headers of a failed response, relative to `nowMs`; at
 * most a day. `Retry-After` takes precedence. The rate limit headers are read only from a 429, because other
 * responses contain them without asking for a wait.
 *
 * @returns 0 for a time in the past, `undefined` if no header is valid
 * @see RFC 9110, section 10.2.3, and the drafts of the RateLimit header fields
 */
export function readRetryAfter(status: number, headers: Headers, nowMs: number): number | undefined {
  const names = status === 429 ? (['retry-after', ...RESET_HEADERS] as const) : (['retry-after'] as const);
  for (const name of names) {
    const value = headers[name] ?? '';
    // A proxy may have added a second header of that name.
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

/** Returns the latest reset of the policies that are used up, or else the reset of the first policy. */
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
