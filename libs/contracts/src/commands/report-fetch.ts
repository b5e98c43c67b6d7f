import { reportCompleted, reportPage } from '../replies/report-replies.ts';
import type { CommandDefinition } from '../validation/definition.ts';
import { IsPlayerId, IsSafeInteger, IsText, MayBeAbsent, MustBeGiven } from '../validation/member-rules.ts';
import { IsAfter, IsReportTime, IsShownInZone, IsTimeZone } from '../validation/report-time.ts';

/** The data of `report.ad-hoc.fetch`. Source: interface document, endpoint 3. */
export class AdHocReportFetch {
  @MustBeGiven('Start of the period.', IsReportTime, IsShownInZone)
  readonly dateFrom!: string;
  @MustBeGiven('End of the period, after dateFrom.', IsReportTime, IsAfter('dateFrom'), IsShownInZone)
  readonly dateTo!: string;
  @MayBeAbsent('One player; without it all of them.', IsPlayerId)
  readonly userId?: string;
  @MayBeAbsent('ISO code.', IsText)
  readonly currency?: string;
  @MayBeAbsent('That page alone; without it every page is fetched.', IsSafeInteger({ min: 1 }))
  readonly page?: number;
  @MayBeAbsent('Default REPORTS_PER_PAGE; the platform may give less.', IsSafeInteger({ min: 1, max: 1000 }))
  readonly perPage?: number;
}

/** The data of `report.rake.fetch`. Source: interface document, endpoint 4. */
export class RakeReportFetch extends AdHocReportFetch {
  @MayBeAbsent("A zone's name, or an offset such as +03:00.", IsText, IsTimeZone)
  readonly timeZone?: string;
  @MayBeAbsent("Into the player's currency; the interface shows no values.", IsText)
  readonly convertToPreferredCurrency?: string;
  @MayBeAbsent(
    'The field to sort by; the interface shows no syntax. Without it, pages have no order.',
    IsText,
  )
  readonly sort?: string;
}

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
