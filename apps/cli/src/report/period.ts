/** A period of a report, its ends `YYYY-MM-DD HH:MM:SS` as the platform wants them. */
export interface Period {
  readonly dateFrom: string;
  readonly dateTo: string;
}

const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const OFFSET = /^[+-](0\d|1[0-4]):?[0-5]\d$/;
const DAY_MS = 24 * 60 * 60 * 1000;
/** The platform aggregates its figures every ten minutes. Source: interface document, endpoint 3. */
const AGGREGATION_MS = 10 * 60_000;

/** Whether a text is an offset, or a time zone that is known here. */
export function isTimeZone(text: string): boolean {
  if (OFFSET.test(text)) return true;
  if (/^[+-]/.test(text)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions();
    return true;
  } catch {
    return false;
  }
}

/**
 * A month from its first midnight to that of the next.
 *
 * @param text `YYYY-MM`, or `last` for the month before the one that `nowMs` is in
 * @param timeZone whose clock says which month it is
 * @returns undefined if the text names no month
 */
export function monthOf(text: string, nowMs: number, timeZone: string): Period | undefined {
  if (text === 'last') {
    const firstOfMonth = `${localTime(nowMs, timeZone).slice(0, 7)}-01`;
    return monthOf(dayBefore(firstOfMonth).slice(0, 7), nowMs, timeZone);
  }
  const [, year, month] = MONTH.exec(text) ?? [];
  if (year === undefined) return undefined;
  const next = new Date(Date.UTC(Number(year), Number(month), 1)).toISOString().slice(0, 10);
  return { dateFrom: `${text}-01 00:00:00`, dateTo: `${next} 00:00:00` };
}

/**
 * A day from its midnight to the next.
 *
 * @param text `YYYY-MM-DD`, or `yesterday`
 * @param timeZone whose clock says which day it is
 * @returns undefined if the text names no day
 */
export function dayOf(text: string, nowMs: number, timeZone: string): Period | undefined {
  const day = text === 'yesterday' ? dayBefore(localTime(nowMs, timeZone).slice(0, 10)) : text;
  const startMs = DAY.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  // February has no 30th, whatever the parser makes of it.
  if (Number.isNaN(startMs) || new Date(startMs).toISOString().slice(0, 10) !== day) return undefined;
  const next = new Date(startMs + DAY_MS).toISOString().slice(0, 10);
  return { dateFrom: `${day} 00:00:00`, dateTo: `${next} 00:00:00` };
}

/** One end of a period as it is typed: a day is its midnight, and a `T` may stand for the blank. */
export function endOf(text: string): string {
  return DAY.test(text) ? `${text} 00:00:00` : text.replace(/^(\d{4}-\d{2}-\d{2})T/, '$1 ');
}

/**
 * Says whether the figures up to the end of a period can be complete.
 *
 * @param timeZone whose hours are meant
 * @returns undefined if they are complete; else whether the period itself has ended, and when they will be
 */
export function completeness(
  { dateTo }: Period,
  timeZone: string,
  nowMs: number,
): { readonly hasEnded: boolean; readonly completeAtMs: number } | undefined {
  const asUtcMs = Date.parse(`${dateTo.replace(' ', 'T')}Z`);
  const endMs = asUtcMs - offsetMs(timeZone, asUtcMs);
  const completeAtMs = endMs + AGGREGATION_MS;
  return completeAtMs > nowMs ? { hasEnded: endMs <= nowMs, completeAtMs } : undefined;
}

function dayBefore(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - DAY_MS).toISOString().slice(0, 10);
}

/** What clocks of a zone show, `YYYY-MM-DD HH:MM:SS`. */
function localTime(atMs: number, timeZone: string): string {
  return new Date(atMs + offsetMs(timeZone, atMs)).toISOString().slice(0, 19).replace('T', ' ');
}

/** How far the clocks of a zone are ahead of UTC at a moment; in the hour of a change, perhaps that of the hour before. */
function offsetMs(timeZone: string, atMs: number): number {
  if (OFFSET.test(timeZone)) {
    const [hours, minutes] = [timeZone.slice(1, 3), timeZone.slice(-2)].map(Number) as [number, number];
    return (timeZone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
  }
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const local = Date.parse(`${format.format(atMs).replace(' ', 'T')}Z`);
  return local - Math.floor(atMs / 1_000) * 1_000;
}
