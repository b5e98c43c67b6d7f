import { ValidateBy } from 'class-validator';

import { reportCompleted, reportPage } from '../replies/report-replies.ts';
import { defineCommand } from '../validation/define.ts';
import { IsPlayerId, IsSafeInteger, IsText, MayBeAbsent, MustBeGiven } from '../validation/member-rules.ts';

/** The form of a date and time; whether the day exists is checked separately. */
const FORM = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;

/** A date and time in the form of the report parameters, `YYYY-MM-DD HH:MM:SS`. Source: interface document, endpoints 3 and 4. */
const IsReportTime = (): PropertyDecorator =>
  ValidateBy({
    name: 'isReportTime',
    constraints: [FORM.source],
    validator: {
      validate: isReportTime,
      defaultMessage: () => 'must be a real YYYY-MM-DD HH:MM:SS without a zone',
    },
  });

/** The date is after the one in the member `start`; not checked if either is not a date. */
const IsAfter = (start: string): PropertyDecorator =>
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

/** The data of `report.ad-hoc.fetch`. Source: interface document, endpoint 3. */
export class AdHocReportFetch {
  @MustBeGiven('Start of the period.', IsReportTime())
  readonly dateFrom!: string;
  @MustBeGiven('End of the period, after dateFrom.', IsReportTime(), IsAfter('dateFrom'))
  readonly dateTo!: string;
  @MayBeAbsent('One player; without it all of them.', IsPlayerId())
  readonly userId?: string;
  @MayBeAbsent('ISO code.', IsText())
  readonly currency?: string;
  @MayBeAbsent('That page alone; without it every page is fetched.', IsSafeInteger({ min: 1 }))
  readonly page?: number;
  @MayBeAbsent('Default REPORTS_PER_PAGE; the platform may give less.', IsSafeInteger({ min: 1, max: 1000 }))
  readonly perPage?: number;
}

export const reportAdHocFetch = defineCommand({
  type: 'report.ad-hoc.fetch',
  summary: 'Figures of all players over a period, or of one.',
  player: ['userId'],
  data: AdHocReportFetch,
  examples: [
    {
      name: 'day',
      summary: 'Every page of a day',
      data: { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00', currency: 'EUR' },
    },
    {
      name: 'page',
      summary: 'One page, of one player',
      data: {
        dateFrom: '2026-03-01 00:00:00',
        dateTo: '2026-03-02 00:00:00',
        userId: 'player-1',
        page: 2,
        perPage: 100,
      },
    },
  ],
  replies: [reportPage, reportCompleted],
});
