import { PlatformError } from '../interface/documents.ts';
import type { Settings } from '../settings/settings.ts';
import type { TextParameters } from '../signature/signature.ts';
import type { Sequence } from './population.ts';

/** Reports are aggregated in steps of ten minutes: a day has 144 steps. */
const STEPS_PER_DAY = 144;
const STEP_MS = 600_000;

/**
 * The part of a day that is within a period: the day, counted from 1970-01-01, and its steps of ten minutes.
 */
export interface DayPart {
  readonly day: number;
  readonly steps: number;
}

/**
 * Reads a time of the form `YYYY-MM-DD HH:MM:SS`, in UTC milliseconds since 1970.
 * @returns undefined if the format is different, or the date or time does not exist
 */
export function parseMoment(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return undefined;
  const iso = `${text.replace(' ', 'T')}.000Z`;
  const ms = Date.parse(iso);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === iso ? ms : undefined;
}

/** Returns the days of a period. Its start and end are rounded down to the start of their steps. */
export function daysOf(fromMs: number, toMs: number): Sequence<DayPart> {
  const [from, to] = [Math.floor(fromMs / STEP_MS), Math.floor(toMs / STEP_MS)];
  const firstDay = Math.floor(from / STEPS_PER_DAY);
  return {
    length: to > from ? Math.ceil(to / STEPS_PER_DAY) - firstDay : 0,
    at: (position) => {
      const day = firstDay + position;
      const [start, end] = [day * STEPS_PER_DAY, (day + 1) * STEPS_PER_DAY];
      return { day, steps: Math.min(to, end) - Math.max(from, start) };
    },
  };
}

export function dateOf(day: number): string {
  return new Date(day * STEPS_PER_DAY * STEP_MS).toISOString().slice(0, 10);
}

/**
 * Converts a wall-clock time in a zone to UTC.
 * @param wallMs the wall-clock time as if it were UTC, in milliseconds since 1970
 * @returns undefined for a time that the zone's clock skips when daylight saving time starts
 */
export function toUtc(wallMs: number, zone: Intl.DateTimeFormat): number | undefined {
  // years before 1000 have fewer digits, and are treated as UTC
  const wallAt = (utcMs: number) => parseMoment(zone.format(utcMs)) ?? utcMs;
  const guess = wallMs + (wallMs - wallAt(wallMs));
  // repeated because the first estimate may be on the other side of a time change
  const utcMs = guess + (wallMs - wallAt(guess));
  return wallAt(utcMs) === wallMs ? utcMs : undefined;
}

/** With these options, the Swedish locale formats times like the interface. */
const LIKE_INTERFACE = { dateStyle: 'short', timeStyle: 'medium' } as const;

/**
 * Returns the time zone with this name, or with an offset such as `+03:00`; default UTC.
 *
 * @throws PlatformError 422 if it does not exist
 */
export function zoneOf(timeZone?: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('sv', { ...LIKE_INTERFACE, timeZone: timeZone || 'UTC' });
  } catch {
    throw incorrect('timeZone', 'timeZone must be the name of a zone or an offset like +03:00');
  }
}

export type ReportQuery = ReturnType<typeof readReportQuery>;

/** Reads the form data of a report. @throws PlatformError 422 that names the first invalid parameter */
export function readReportQuery(form: TextParameters, timeZone?: string) {
  const { userId, currency } = form;
  const zone = zoneOf(timeZone);
  const fromMs = readMoment(form, 'dateFrom', zone);
  const toMs = readMoment(form, 'dateTo', zone);
  if (fromMs >= toMs) throw incorrect('dateTo', 'dateTo must be after dateFrom');
  return { days: daysOf(fromMs, toMs), userId: userId || undefined, currency: currency || undefined };
}

const SORTS = ['id', 'user-id', 'currency', 'value'] as const;

export type RakeQuery = ReturnType<typeof readRakeQuery>;

/**
 * Reads the form data of the rake report, and the parameters that are always in its query string.
 *
 * @throws PlatformError 422
 */
export function readRakeQuery(form: TextParameters, query: TextParameters) {
  const sort = query['sort'] || 'id';
  const sortedBy = SORTS.find((name) => name === sort.replace(/^-/, ''));
  if (!sortedBy)
    throw incorrect('sort', `sort must be one of ${SORTS.join(', ')}, with or without a minus in front`);
  return {
    ...readReportQuery(form, query['timeZone']),
    sortedBy,
    isDescending: sort.startsWith('-'),
    isConverted: !['', '0', 'false'].includes(query['convertToPreferredCurrency'] ?? ''),
  };
}

export type Pagination = ReturnType<typeof readPagination>;

/**
 * Reads `per-page` and `page`. A `per-page` above the maximum is lowered to it.
 * @throws PlatformError 400 if it is not a positive number
 */
export function readPagination(query: TextParameters, settings: Settings['reports']) {
  const perPage = readCount(query, 'per-page', settings.perPageDefault);
  return { perPage: Math.min(perPage, settings.perPageMaximum), page: readCount(query, 'page', 1) };
}

export function incorrect(name: string, reason: string): PlatformError {
  return new PlatformError(422, { pointer: `/data/attributes/${name}`, meta: { reason } });
}

function readMoment(form: TextParameters, name: string, zone: Intl.DateTimeFormat): number {
  const wallMs = parseMoment(form[name]);
  if (wallMs === undefined) throw incorrect(name, `${name} must be a moment of the form YYYY-MM-DD HH:MM:SS`);
  const utcMs = toUtc(wallMs, zone);
  if (utcMs === undefined)
    throw incorrect(name, `${name} does not exist in this time zone: its clock skips it`);
  return utcMs;
}

function readCount(query: TextParameters, name: string, fallback: number): number {
  const text = query[name] || String(fallback);
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new PlatformError(400, { meta: { reason: `${name} must be an integer from 1` } });
  return Number(text);
}
