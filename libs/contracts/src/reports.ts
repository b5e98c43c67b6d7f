/** The members of a record that are amounts of its currency. Source: interface document, "Ad hoc report record", "Player rake record". */
export const REPORT_AMOUNTS = {
  'ad-hoc': [
    'win',
    'loss',
    'deposit',
    'withdraw',
    'bets',
    'rake',
    'jackpot',
    'tournamentFee',
    'tournamentBet',
    'tournamentPrize',
    'cashResult',
    'tournamentResult',
    'ticketFee',
    'ticketBet',
    'slotCredit',
    'slotDebit',
    'rakeback',
    'rakebackPaid',
    'rakebackUnpaid',
    'rabbitHunting',
  ],
  rake: ['value'],
} as const;

export type ReportName = keyof typeof REPORT_AMOUNTS;

/** The counts of the whole report that each page holds. */
export interface ReportExtent {
  readonly totalCount: number;
  readonly pageCount: number;
  readonly perPage: number;
}

/** A report that grows beyond this multiple of what it was at first, and as many pages more, has no end. */
const MOST_GROWTH = 2;
const SMALL_GROWTH = 100;
/** How often the platform aggregates its figures. Source: interface document, "Limits". */
export const AGGREGATION_MS = 10 * 60 * 1000;

/** Whether two pages of a report say different things of it, so that it has changed meanwhile. */
export function extentsDiffer(one: ReportExtent, other: ReportExtent): boolean {
  return (
    one.totalCount !== other.totalCount || one.pageCount !== other.pageCount || one.perPage !== other.perPage
  );
}

/** The most pages that a report can have grown to. @param pageCount of its first page */
export function mostPagesOf(pageCount: number): number {
  return MOST_GROWTH * pageCount + SMALL_GROWTH;
}

/** Whether one of the platform's ten-minute intervals, counted from the full hour, ended between two moments. */
export function spansIntervals(fromMs: number, toMs: number): boolean {
  return Math.floor(fromMs / AGGREGATION_MS) !== Math.floor(toMs / AGGREGATION_MS);
}
