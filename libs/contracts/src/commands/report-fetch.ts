import { reportCompleted, reportPage } from '../replies/report-replies.ts';
import type { CommandDefinition } from '../validation/definition.ts';
import { IsPlayerId, IsSafeInteger, IsText } from '../validation/member-rules.ts';
import { IsAfter, IsReportTime, IsShownInZone, IsTimeZone } from '../validation/report-time.ts';
import { optional, required, shape } from '../validation/shape.ts';

/** The data of `report.ad-hoc.fetch`. Source: interface document, endpoint 3. */
export class AdHocReportFetch extends shape('AdHocReportFetch', {
  dateFrom: required('Start of the period.', IsReportTime, IsShownInZone),
  dateTo: required('End of the period, after dateFrom.', IsReportTime, IsAfter('dateFrom'), IsShownInZone),
  userId: optional('One player; without it all of them.', IsPlayerId),
  currency: optional('ISO code.', IsText),
  page: optional('That page alone; without it every page is fetched.', IsSafeInteger({ min: 1 })),
  perPage: optional(
    'Default REPORTS_PER_PAGE; the platform may give less.',
    IsSafeInteger({ min: 1, max: 1000 }),
  ),
}) {}

/** The data of `report.rake.fetch`. Source: interface document, endpoint 4. */
export class RakeReportFetch extends shape(
  'RakeReportFetch',
  {
    timeZone: optional("A zone's name, or an offset such as +03:00.", IsText, IsTimeZone),
    convertToPreferredCurrency: optional(
      "Into the player's currency; the interface shows no values.",
      IsText,
    ),
    sort: optional(
      'The field to sort by; the interface shows no syntax. Without it, pages have no order.',
      IsText,
    ),
  },
  AdHocReportFetch,
) {}

/** The period of the examples. */
const DAY = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00' };

export const reportAdHocFetch = {
  type: 'report.ad-hoc.fetch',
  summary: 'Figures of all players over a period, or of one.',
  player: ['userId'],
  data: AdHocReportFetch,
  examples: [
    { name: 'day', summary: 'Every page of a day', data: { ...DAY, currency: 'EUR' } },
    {
      name: 'page',
      summary: 'One page, of one player',
      data: { ...DAY, userId: 'player-1', page: 2, perPage: 100 },
    },
  ],
  replies: [reportPage, reportCompleted],
} satisfies CommandDefinition<AdHocReportFetch>;

export const reportRakeFetch = {
  type: 'report.rake.fetch',
  summary: 'The rake of players over a period.',
  player: ['userId'],
  data: RakeReportFetch,
  examples: [
    {
      name: 'player',
      summary: "One player's rake, in the hours of a zone",
      data: { ...DAY, userId: 'player-1', timeZone: '+03:00' },
    },
    {
      name: 'page',
      summary: 'One page of one currency, converted and sorted',
      data: {
        ...DAY,
        currency: 'EUR',
        page: 1,
        perPage: 1000,
        convertToPreferredCurrency: '1',
        sort: '-value',
      },
    },
  ],
  replies: [reportPage, reportCompleted],
} satisfies CommandDefinition<RakeReportFetch>;
