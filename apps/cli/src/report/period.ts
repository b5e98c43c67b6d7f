import { usageError } from '../exit.ts';
import type { Options } from '../options.ts';

/** A period of a report, its ends `YYYY-MM-DD HH:MM:SS` as the platform wants them. */
export interface Period {
  readonly dateFrom: string;
  readonly dateTo: string;
}

/** The options that say a period: a month, or a day, or both ends; and whose clock says which month or day it is. */
export type PeriodOptions = Options<'month' | 'day' | 'from' | 'to' | 'timeZone'>;

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 24 * 60 * 60 * 1000;
/** The platform aggregates its figures every ten minutes. Source: interface document, endpoint 3. */
const AGGREGATION_MS = 10 * 60_000;

/** @throws ExitError if the options say no period, or several */
export function periodOf(options: PeriodOptions, nowMs: number): Period {
  const { month, day, from, to, timeZone = 'UTC' } = options;
  if (!isTimeZone(timeZone)) {
    throw usageError('--time-zone is a name such as Europe/Berlin, or an offset such as +03:00');
  }
  const today = (): number => Date.parse(dateOf(localMs(nowMs, timeZone)));
  const ways = [month, day, from ?? to].filter((way) => way !== undefined);
  if (ways.length === 1 && month !== undefined) {
    return monthOf(
      month === 'last' ? dateOf(today() - DAY_MS * new Date(today()).getUTCDate()) : `${month}-01`,
    );
  }
  if (ways.length === 1 && day !== undefined)
    return dayOf(day === 'yesterday' ? dateOf(today() - DAY_MS) : day);
  if (ways.length === 1 && from !== undefined && to !== undefined) {
    return { dateFrom: endOf(from), dateTo: endOf(to) };
  }
  throw usageError('say either --month, or --day, or --from and --to');
}

/**
 * Warns that the figures up to the end of a period may not be complete.
 *
 * @param timeZone whose hours are meant; default UTC
 * @returns undefined if they are complete
 */
export function incompleteness(
  { dateTo }: Period,
  timeZone: string | undefined,
  nowMs: number,
): string | undefined {
  const asUtcMs = Date.parse(`${dateTo.replace(' ', 'T')}Z`);
  // In the hour of a change of the clocks, their offset may be that of the hour before.
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

/** The month of a day, from its first midnight to that of the next month. */
function monthOf(day: string): Period {
  const month = day.slice(0, -3);
  if (!MONTH.test(month)) throw usageError('--month must be a month, such as 2026-10, or last');
  const first = `${month}-01`;
  const next = dateOf(Date.parse(first) + 31 * DAY_MS).slice(0, -3);
  return { dateFrom: endOf(first), dateTo: endOf(`${next}-01`) };
}

/** A day from its midnight to the next. */
function dayOf(day: string): Period {
  const startMs = DAY.test(day) ? Date.parse(day) : Number.NaN;
  // February has no 30th, although the parser takes it.
  if (Number.isNaN(startMs) || dateOf(startMs) !== day) {
    throw usageError('--day must be a day, such as 2026-10-05, or yesterday');
  }
  return { dateFrom: endOf(day), dateTo: endOf(dateOf(startMs + DAY_MS)) };
}

/** One end of a period as it is typed: a day is its midnight, and a `T` may take the place of the blank. */
function endOf(text: string): string {
  return DAY.test(text) ? `${text} 00:00:00` : text.replace(/^(\d{4}-\d{2}-\d{2})T/, '$1 ');
}

function dateOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

function isTimeZone(text: string): boolean {
  try {
    localMs(0, text);
    return true;
  } catch {
    return false;
  }
}

/** What clocks of a zone show, as the epoch milliseconds of the moment at which clocks of UTC show the same. */
function localMs(atMs: number, timeZone: string): number {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return Date.parse(`${clock.format(atMs).replace(' ', 'T')}Z`);
}
