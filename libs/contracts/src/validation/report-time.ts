import { rule } from './member-rules.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The form of a date and time; whether the day exists is checked separately. */
const FORM = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;
const REAL_TIME = 'a real YYYY-MM-DD HH:MM:SS without a zone';
/** The range of offsets in use, from west of Alaska to the Line Islands. */
const OFFSET = /^(?:-(?:0\d|1[0-2])|\+(?:0\d|1[0-4])):[0-5]\d$/;

/**
 * A date and time in the form of the report parameters, `YYYY-MM-DD HH:MM:SS`. Source: interface document,
 * endpoints 3 and 4.
 */
export const IsReportTime = rule<string>(
  'isReportTime',
  { type: 'string', pattern: FORM.source, title: REAL_TIME },
  isReportTime,
  `must be ${REAL_TIME}`,
);

/** The date is after the one in the member `start`; not checked if either is not a date. */
export const IsAfter = (start: string): PropertyDecorator =>
  rule(
    'isAfter',
    {},
    (value, { [start]: from }) => !isReportTime(from) || !isReportTime(value) || from < value,
    `must be after ${start}`,
  );

/** The clocks of the zone in the member `timeZone` show this time; not checked without a zone. */
export const IsShownInZone = rule<string>(
  'isShownInZone',
  {},
  (value, { timeZone: zone }) => !isReportTime(value) || !isZoneName(zone) || !isSkipped(value, zone),
  'must be a time that exists in timeZone; clocks that go forward skip this one',
);

/** A zone of the IANA database, or an offset from UTC; with another rule, which says that it is text. */
export const IsTimeZone = rule<string>(
  'isTimeZone',
  {},
  (value) => typeof value !== 'string' || OFFSET.test(value) || isZoneName(value),
  'must be a zone of the IANA database, such as Europe/Berlin, or an offset such as +03:00',
);

function isReportTime(value: unknown): value is string {
  if (typeof value !== 'string' || !FORM.test(value)) return false;
  const parsed = new Date(utc(value));
  // Date converts 30 February to a day in March, so that the formatted text differs.
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString() === `${value.replace(' ', 'T')}.000Z`;
}

function utc(time: string): number {
  return Date.parse(`${time.replace(' ', 'T')}Z`);
}

function isZoneName(name: unknown): name is string {
  // Newer JavaScript engines also accept offsets, in additional forms.
  if (typeof name !== 'string' || !/^[A-Za-z]/.test(name)) return false;
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/**
 * Returns true if clocks skipped this time: neither the previous day's offset nor the next day's leads to it.
 */
function isSkipped(time: string, timeZone: string): boolean {
  const form = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const clockAt = (ms: number): number => utc(form.format(ms));
  const ms = utc(time);
  const offsets = [ms - DAY_MS, ms + DAY_MS].map((near) => clockAt(near) - near);
  // The offset of a year before 1000 cannot be determined.
  return offsets.every((offset) => !Number.isNaN(offset) && clockAt(ms - offset) !== ms);
}
