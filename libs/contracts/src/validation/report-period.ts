import { ValidateBy } from 'class-validator';

const FORM = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})$/;

/** Whether `value` is a moment of the calendar written `YYYY-MM-DD HH:MM:SS`. */
function isReportTime(value: unknown): value is string {
  if (typeof value !== 'string' || !FORM.test(value)) return false;
  const iso = `${value.replace(' ', 'T')}.000Z`;
  const parsed = new Date(iso);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString() === iso;
}

/** A moment in the form of the report parameters, `YYYY-MM-DD HH:MM:SS`. Source: interface document, endpoints 3 and 4. */
export const IsReportTime = (): PropertyDecorator =>
  ValidateBy({
    name: 'isReportTime',
    validator: {
      validate: isReportTime,
      defaultMessage: () => 'must be a moment written YYYY-MM-DD HH:MM:SS',
    },
  });

/** The moment lies after the one in the member `start`; silent while either is not a moment. */
export const IsAfter = (start: string): PropertyDecorator =>
  ValidateBy({
    name: 'isAfter',
    validator: {
      validate: (value, args) => {
        const from = (args?.object as Record<string, unknown>)[start];
        return !isReportTime(from) || !isReportTime(value) || from < value;
      },
      defaultMessage: () => `must be after ${start}`,
    },
  });
