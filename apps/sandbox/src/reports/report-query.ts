import { PlatformError } from '../interface/documents.ts';
import type { Settings } from '../settings/settings.ts';
import type { TextParameters } from '../signature/signature.ts';

/** Reports are aggregated every ten minutes: a day has 144 steps. */
const STEPS_PER_DAY = 144;
const STEP_MS = 600_000;

/** The part of a day that is within a period. */
export interface DayPart {
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly steps: number;
}

/** Whole ten-minute steps since 1970-01-01: the first in the period and the first after it. */
export interface Period {
  readonly fromStep: number;
  readonly toStep: number;
}

/**
 * Reads a time of the form `YYYY-MM-DD HH:MM:SS`, in UTC milliseconds since 1970.
 * @returns undefined for another form, and for a date or a time that does not exist
 */
export function parseMoment(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return undefined;
  const iso = `${text.replace(' ', 'T')}.000Z`;
  const ms = Date.parse(iso);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === iso ? ms : undefined;
}

/** The steps that a period covers: both ends fall back to the start of their step. */
export function periodOf(fromMs: number, toMs: number): Period {
  return { fromStep: Math.floor(fromMs / STEP_MS), toStep: Math.floor(toMs / STEP_MS) };
}

/** How many days a period touches. */
export function dayCount({ fromStep, toStep }: Period): number {
  return toStep > fromStep ? dayOf(toStep - 1) - dayOf(fromStep) + 1 : 0;
}

/** The part of a period on its nth day. @param nth from 0 to `dayCount` - 1 */
export function dayPartAt({ fromStep, toStep }: Period, nth: number): DayPart {
  const day = dayOf(fromStep) + nth;
  const start = Math.max(fromStep, day * STEPS_PER_DAY);
  return { day, steps: Math.min(toStep, (day + 1) * STEPS_PER_DAY) - start };
}

export function dateOf(day: number): string {
  return new Date(day * STEPS_PER_DAY * STEP_MS).toISOString().slice(0, 10);
}

function dayOf(step: number): number {
  return Math.floor(step / STEPS_PER_DAY);
}

/**
 * The UTC moment of a wall-clock time in a zone.
 * @param wallMs the wall-clock time as if it were UTC, in milliseconds since 1970
 * @param timeZone a zone's name or an offset such as `+03:00`
 * @returns undefined if the zone does not exist; `skipped` for a time that its clock skips, as in spring
 */
export function toUtc(wallMs: number, timeZone: string): number | 'skipped' | undefined {
  const format = zoneFormat(timeZone);
  if (!format) return undefined;
  // the offset at the guess, applied twice, since the guess may be on the other side of a time change
  const guess = wallMs - offsetMs(format, wallMs);
  const utcMs = wallMs - offsetMs(format, guess);
  return utcMs + offsetMs(format, utcMs) === wallMs ? utcMs : 'skipped';
}

function zoneFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
}

function offsetMs(format: Intl.DateTimeFormat, utcMs: number): number {
  const name = format.formatToParts(utcMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes = 0, seconds = 0] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? [];
  if (sign === undefined) return 0;
  return (sign === '+' ? 1 : -1) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}

const SORTS = ['id', 'user-id', 'currency', 'value'] as const;

/** The records that a report is requested for. */
export interface ReportQuery {
  readonly period: Period;
  readonly userId?: string;
  readonly currency?: string;
}

/** How a rake report is to be sorted. */
export interface RakeSort {
  readonly field: (typeof SORTS)[number];
  readonly isDescending: boolean;
}

/**
 * Reads the form data of a report.
 * @param timeZone of its dates; default UTC
 * @throws PlatformError 422 that points to the first wrong parameter
 */
export function readReportQuery(form: TextParameters, timeZone?: string): ReportQuery {
  const { userId, currency } = form;
  const fromMs = readMoment(form, 'dateFrom', timeZone || 'UTC');
  const toMs = readMoment(form, 'dateTo', timeZone || 'UTC');
  if (fromMs >= toMs) throw incorrect('dateTo', 'dateTo must be after dateFrom');
  return { period: periodOf(fromMs, toMs), ...(userId && { userId }), ...(currency && { currency }) };
}

/** The sort of a rake report: a field's name, with a minus in front for descending order. */
export function readRakeSort(query: TextParameters): RakeSort {
  const text = query['sort'] || 'id';
  const field = SORTS.find((name) => name === text.replace(/^-/, ''));
  if (!field)
    throw incorrect('sort', `sort must be one of ${SORTS.join(', ')}, with or without a minus in front`);
  return { field, isDescending: text.startsWith('-') };
}

/**
 * Reads `per-page` and `page`. A `per-page` over the maximum is lowered to it.
 * @throws PlatformError 400 if it is not a positive number
 */
export function readPagination(
  query: TextParameters,
  settings: Settings['reports'],
): { perPage: number; number: number } {
  const perPage = readCount(query, 'per-page') ?? settings.perPageDefault;
  return { perPage: Math.min(perPage, settings.perPageMaximum), number: readCount(query, 'page') ?? 1 };
}

export function incorrect(name: string, reason: string): PlatformError {
  return new PlatformError(422, { pointer: `/data/attributes/${name}`, meta: { reason } });
}

function readMoment(form: TextParameters, name: string, timeZone: string): number {
  const wallMs = parseMoment(form[name]);
  if (wallMs === undefined) throw incorrect(name, `${name} must be a moment of the form YYYY-MM-DD HH:MM:SS`);
  const utcMs = toUtc(wallMs, timeZone);
  if (utcMs === undefined)
    throw incorrect('timeZone', 'timeZone must be the name of a zone or an offset like +03:00');
  if (utcMs === 'skipped') throw incorrect(name, `${name} does not exist in ${timeZone}: the clock skips it`);
  return utcMs;
}

function readCount(query: TextParameters, name: string): number | undefined {
  const text = query[name];
  if (text === undefined || text === '') return undefined;
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new PlatformError(400, { meta: { reason: `${name} must be an integer from 1` } });
  return Number(text);
}
