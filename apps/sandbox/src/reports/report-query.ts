import { PlatformError } from '../interface/documents.ts';
import type { ReportSettings } from '../settings/settings.ts';
import type { TextParameters } from '../signature/parameters.ts';
import { parseMoment, periodOf, toUtc, type Period } from './period.ts';

const SORTS = ['id', 'user-id', 'currency', 'value'] as const;

/** The records that a report is requested for. */
export interface ReportQuery {
  readonly period: Period;
  readonly userId?: string;
  readonly currency?: string;
}

/** How a rake report is to be sorted: by its own field, and in which direction. */
export interface RakeSort {
  readonly field: (typeof SORTS)[number];
  readonly direction: 'ascending' | 'descending';
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
  return { field, direction: text.startsWith('-') ? 'descending' : 'ascending' };
}

/**
 * Reads `per-page` and `page`. A `per-page` over the maximum is lowered to it.
 * @throws PlatformError 400 if it is not a positive number
 */
export function readPagination(
  query: TextParameters,
  settings: ReportSettings,
): { perPage: number; number: number } {
  const perPage = readCount(query, 'per-page') ?? settings.perPageDefault;
  return { perPage: Math.min(perPage, settings.perPageMaximum), number: readCount(query, 'page') ?? 1 };
}

/** The refusal of a report's parameter. */
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
