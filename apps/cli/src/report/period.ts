import { AGGREGATION_MS } from '#contracts';

import { usageError } from '../exit.ts';
import { isDate, type Options } from '../input.ts';

export interface Period {
  readonly dateFrom: string;
  readonly dateTo: string;
}

export type PeriodOptions = Options<'month' | 'day' | 'from' | 'to' | 'timeZone'>;

/** @throws ExitError unless the options give exactly one period */
export function periodOf({ month, day, from, to, timeZone = 'UTC' }: PeriodOptions, nowMs: number): Period {
  const today = todayIn(timeZone, nowMs);
  if ([month, day, from ?? to].filter((way) => way !== undefined).length === 1) {
    if (month !== undefined) {
      const first = month === 'last' ? shifted(`${today.slice(0, -3)}-01`, -1, 0) : `${month}-01`;
      if (isDate(first)) return { dateFrom: midnightOf(first), dateTo: midnightOf(shifted(first, 1, 0)) };
      throw usageError('--month must be a month, such as 2026-10, or last');
    }
    if (day !== undefined) {
      const date = day === 'yesterday' ? shifted(today, 0, -1) : day;
      if (isDate(date)) return { dateFrom: midnightOf(date), dateTo: midnightOf(shifted(date, 0, 1)) };
      throw usageError('--day must be a day, such as 2026-10-05, or yesterday');
    }
    if (from !== undefined && to !== undefined) {
      return { dateFrom: midnightOf(from), dateTo: midnightOf(isDate(to) ? shifted(to, 0, 1) : to) };
    }
  }
  throw usageError('give either --month, or --day, or --from and --to');
}

/**
 * Says why the figures of a period may be incomplete; undefined if they are complete.
 *
 * @param timeZone default UTC
 */
export function incompleteness({ dateTo }: Period, nowMs: number, timeZone?: string): string | undefined {
  const asUtcMs = Date.parse(`${dateTo.replace(' ', 'T')}Z`);
  // Around a clock change, the offset may be that of the hour before.
  const endMs = 2 * asUtcMs - localMs(asUtcMs, timeZone ?? 'UTC');
  const completeAtMs = endMs + AGGREGATION_MS;
  if (completeAtMs <= nowMs) return undefined;
  const zone = timeZone ?? 'if the platform counts in UTC';
  const why =
    endMs <= nowMs
      ? `the period ended at ${dateTo} (${zone}), and the platform aggregates every ten minutes`
      : `the period has not ended: it lasts until ${dateTo} (${zone})`;
  const completeAt = new Date(completeAtMs).toISOString().replace('.000', '');
  return `${why}; figures may be missing: fetch it again after ${completeAt}`;
}

/** A period of whole days, both ends included: `2026-10-01 to 2026-10-31`; undefined if it is not one. */
export function wholeDays({ dateFrom, dateTo }: Period): string | undefined {
  if (![dateFrom, dateTo].every((time) => time.endsWith(' 00:00:00'))) return undefined;
  const [first, last] = [dateFrom.slice(0, 10), shifted(dateTo.slice(0, 10), 0, -1)];
  return first === last ? `the day ${first}` : `the days ${first} to ${last}`;
}

/** A time as the platform takes it: a date becomes its midnight, and `T` becomes a space. */
function midnightOf(text: string): string {
  return isDate(text) ? `${text} 00:00:00` : text.replace(/^(\d{4}-\d{2}-\d{2})T/, '$1 ');
}

function dateOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

function shifted(date: string, months: number, days: number): string {
  const at = new Date(date);
  return dateOf(at.setUTCMonth(at.getUTCMonth() + months, at.getUTCDate() + days));
}

function todayIn(timeZone: string, nowMs: number): string {
  try {
    return dateOf(localMs(nowMs, timeZone));
  } catch {
    throw usageError('--time-zone is a name such as Europe/Berlin, or an offset such as +03:00');
  }
}

/** Returns the local time of a zone as if it were UTC, in epoch milliseconds. */
function localMs(atMs: number, timeZone: string): number {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return Date.parse(`${clock.format(atMs).replace(' ', 'T')}Z`);
}

/** Returns a period in UTC that ended an hour ago: figures are complete after ten minutes. */
export function periodAnHourAgo(lengthMs: number): Period {
  const endMs = Date.now() - 3_600_000;
  const text = (atMs: number): string => new Date(atMs).toISOString().slice(0, 19).replace('T', ' ');
  return { dateFrom: text(endMs - lengthMs), dateTo: text(endMs) };
}
