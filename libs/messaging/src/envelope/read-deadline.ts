/** The longest that anyone may wait, from receipt. */
const LONGEST_MS = 20 * 60 * 1000;

const EPOCH_MS = /^\d{1,16}$/;
const ISO_8601_WITH_ZONE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)$/;
const ZONE_IN_HOURS = /[+-]\d{2}$/;

/**
 * When nobody wants the answer any more, epoch milliseconds: the header, or the lane's budget from the moment of
 * sending if that is known and not in the future, else from receipt. Source: bus contract, section 2.
 *
 * @param header `x-deadline`
 * @param timestamp the property, epoch seconds
 * @param budgetMs the lane's own
 * @returns `undefined` if the header cannot be read
 */
export function readDeadline(
  header: unknown,
  timestamp: unknown,
  budgetMs: number,
  nowMs: number,
): number | undefined {
  const latest = nowMs + LONGEST_MS;
  if (header !== undefined && header !== null) {
    const atMs = readMoment(header);
    return atMs === undefined ? undefined : Math.min(atMs, latest);
  }
  const sentAtMs = typeof timestamp === 'number' ? timestamp * 1000 : nowMs;
  return Math.min((sentAtMs > nowMs ? nowMs : sentAtMs) + budgetMs, latest);
}

function readMoment(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
  if (typeof value !== 'string') return undefined;
  if (EPOCH_MS.test(value)) return Number(value);
  if (!ISO_8601_WITH_ZONE.test(value) || !isDay(value.slice(0, 10))) return undefined;
  // `Date` wants the minutes, too.
  const atMs = Date.parse(ZONE_IN_HOURS.test(value) ? `${value}:00` : value);
  return Number.isNaN(atMs) ? undefined : atMs;
}

/** `Date` takes 30 February for 2 March. */
function isDay(date: string): boolean {
  return new Date(date).toJSON()?.startsWith(date) ?? false;
}
