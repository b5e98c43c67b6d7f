import { ValidateBy } from 'class-validator';

/** The form of a date and time; whether the day exists is checked separately. */
const FORM = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;

/** A date and time in the form of the report parameters, `YYYY-MM-DD HH:MM:SS`. Source: interface document, endpoints 3 and 4. */
export const IsReportTime = (): PropertyDecorator =>
  ValidateBy({
    name: 'isReportTime',
    constraints: [FORM.source],
    validator: {
      validate: isReportTime,
      defaultMessage: () => 'must be a real date and time, written YYYY-MM-DD HH:MM:SS',
    },
  });

/** The date is after the one in the member `start`; not checked if either is not a date. */
export const IsAfter = (start: string): PropertyDecorator =>
  ValidateBy({
    name: 'isAfter',
    constraints: [start],
    validator: {
      validate: (value, args) => {
        const { [start]: from } = (args?.object ?? {}) as Record<string, unknown>;
        return !isReportTime(from) || !isReportTime(value) || from < value;
      },
      defaultMessage: () => `must be after ${start}`,
    },
  });

function isReportTime(value: unknown): value is string {
  if (typeof value !== 'string' || !FORM.test(value)) return false;
  const iso = `${value.replace(' ', 'T')}.000Z`;
  const parsed = new Date(iso);
  // Date turns 30 February into a day of March, so that formatting it gives another text.
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString() === iso;
}
