const OFFSET = /^([+-])(\d\d):?(\d\d)$/;
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

/** A day as `YYYY-MM-DD`. */
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
  const [, sign, hours, minutes] = OFFSET.exec(timeZone) ?? [];
  if (sign !== undefined) {
    const offsetMinutes = Number(hours) * 60 + Number(minutes);
    if (offsetMinutes > 14 * 60 || Number(minutes) > 59) return undefined;
    return wallMs - (sign === '+' ? 1 : -1) * offsetMinutes * 60_000;
  }
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
