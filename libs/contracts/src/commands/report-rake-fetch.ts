import { reportCompleted, reportPage } from '../replies/report-replies.ts';
import { defineCommand } from '../validation/define.ts';
import { IsText, MayBeAbsent } from '../validation/member-rules.ts';
import { IsTimeZone } from '../validation/report-time.ts';
import { AdHocReportFetch } from './report-ad-hoc-fetch.ts';

/** The data of `report.rake.fetch`. Source: interface document, endpoint 4. */
export class RakeReportFetch extends AdHocReportFetch {
  @MayBeAbsent("A zone's name, or an offset such as +03:00.", IsText(), IsTimeZone())
  readonly timeZone?: string;
  @MayBeAbsent("Into the player's currency; the interface shows no values.", IsText())
  readonly convertToPreferredCurrency?: string;
  @MayBeAbsent(
    'The field to sort by; the interface shows no syntax. Without it, pages have no order.',
    IsText(),
  )
  readonly sort?: string;
}

export const reportRakeFetch = defineCommand({
  type: 'report.rake.fetch',
  summary: 'The rake of players over a period.',
  player: ['userId'],
  data: RakeReportFetch,
  examples: [
    {
      name: 'player',
      summary: "One player's rake, in the hours of a zone",
      data: {
        dateFrom: '2026-03-01 00:00:00',
        dateTo: '2026-03-02 00:00:00',
        userId: 'player-1',
        timeZone: '+03:00',
      },
    },
    {
      name: 'page',
      summary: 'One page of one currency, converted and sorted',
      data: {
        dateFrom: '2026-03-01 00:00:00',
        dateTo: '2026-03-02 00:00:00',
        currency: 'EUR',
        page: 1,
        perPage: 1000,
        convertToPreferredCurrency: '1',
        sort: '-value',
      },
    },
  ],
  replies: [reportPage, reportCompleted],
});
