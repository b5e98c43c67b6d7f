import { ValidateBy } from 'class-validator';

import { reportCompleted, reportPage } from '../replies/report-replies.ts';
import { defineCommand } from '../validation/define.ts';
import { IsText, MayBeAbsent } from '../validation/member-rules.ts';
import { AdHocReportFetch } from './report-ad-hoc-fetch.ts';

/** From west of Alaska to the Line Islands. */
const OFFSET = /^(?:-(?:0\d|1[0-2])|\+(?:0\d|1[0-4])):[0-5]\d$/;

/** A zone of the IANA database, or an offset from UTC; with another rule, which says that it is text. */
const IsTimeZone = (): PropertyDecorator =>
  ValidateBy({
    name: 'isTimeZone',
    validator: {
      validate: (value) => typeof value !== 'string' || OFFSET.test(value) || isZoneName(value),
      defaultMessage: () =>
        'must be a zone of the IANA database, such as Europe/Berlin, or an offset such as +03:00',
    },
  });

function isZoneName(name: string): boolean {
  // Newer versions of the language take offsets, too, in further forms.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

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
