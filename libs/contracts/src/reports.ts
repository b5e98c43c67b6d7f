/**
 * The members of a record that are amounts of its currency. Source: interface document, "Ad hoc report
 * record", "Player rake record".
 */
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

/** The counts of the whole report, which each page contains. */
export interface ReportExtent {
  readonly totalCount: number;
  readonly pageCount: number;
  readonly perPage: number;
}

/** A report with more than MOST_GROWTH times its first page count, plus SMALL_GROWTH, counts as endless. */
const MOST_GROWTH = 2;
const SMALL_GROWTH = 100;
/** How often the platform aggregates its figures. Source: interface document, "Limits". */
export const AGGREGATION_MS = 10 * 60 * 1000;

/** Returns true if the counts of two pages differ, which shows that the report has changed. */
export function extentsDiffer(one: ReportExtent, other: ReportExtent): boolean {
  return (
    one.totalCount !== other.totalCount || one.pageCount !== other.pageCount || one.perPage !== other.perPage
  );
}

/**
 * Returns the maximum number of pages of a growing report.
 *
 * @param pageCount the page count on its first page
 */
export function mostPagesOf(pageCount: number): number {
  return MOST_GROWTH * pageCount + SMALL_GROWTH;
}

/**
 * Returns true if two times are in different ten-minute intervals of the platform, which start at the full
 * hour.
 */
export function spansIntervals(fromMs: number, toMs: number): boolean {
  return Math.floor(fromMs / AGGREGATION_MS) !== Math.floor(toMs / AGGREGATION_MS);
}
