import { exactJson } from '#signing';

import { counted, printable } from '../output.ts';
import type { Comparison } from './compare.ts';
import type { ReportFacts, Total } from './facts.ts';
import { incompleteness, type Period } from './period.ts';

const NAMED_CHANGES = 20;

/** The end of a report for programs: one object on one line. */
export function endingJson(file: string, facts: ReportFacts, comparison?: Comparison): string {
  const { report, pages, records, totalCount, hasChanged, repeated, missing, faults } = facts;
  return exactJson({
    file,
    report,
    pages,
    records,
    totalCount,
    changedWhileReading: hasChanged || repeated > 0 || missing !== 0,
    repeated,
    missing,
    faults,
    readFrom: facts.first?.readAt,
    readTo: facts.last?.readAt,
    spansIntervals: facts.last && facts.spansIntervals,
    totals: facts.totals,
    comparison: comparison && { ...comparison, changed: comparison.changed.length },
  });
}

/** The end of a report for people: what was written, the totals by currency and kind of amount, and the comparison. */
export function describeEnding(file: string, facts: ReportFacts, comparison?: Comparison): string[] {
  return [
    `${facts.size} ${file === '-' ? 'printed' : `in ${file}`}`,
    ...totalLines(facts),
    ...(comparison ? comparisonLines(comparison, facts) : []),
  ];
}

/** What about a report a person has to know before using it. */
export function warningsOf(facts: ReportFacts, period: Period, timeZone?: string): string[] {
  const { first, last, repeated, missing, faults, unknownCurrencies: unknown } = facts;
  return [
    facts.hasChanged && 'the report changed while it was read; fetch it again',
    facts.spansIntervals &&
      `the pages were read from ${first?.readAt} to ${last?.readAt}, and the platform aggregates every ten minutes: they may not fit together; fetch it again`,
    repeated > 0 && `${counted(repeated, 'record')} came twice; fetch it again`,
    missing > 0 &&
      `${counted(missing, 'record')} of the ${facts.totalCount} that the platform counts did not come; fetch it again`,
    missing < 0 &&
      `${counted(-missing, 'record')} came beyond the ${facts.totalCount} that the platform counts`,
    faults > 0 && `${counted(faults, 'odd value')} came, and was written as it is`,
    unknown.length > 0 &&
      `no decimals are known of ${unknown.join(', ')}: give --decimals ${unknown[0]}=2, or name them in the worker's CURRENCY_PRECISIONS`,
    incompleteness(period, Date.now(), timeZone),
  ].flatMap((warning) => (typeof warning === 'string' ? [printable(warning)] : []));
}

/** A line for each currency and kind of money, with the amounts that are not zero. */
function totalLines(facts: ReportFacts): string[] {
  return facts.totals.flatMap((total) => {
    const { currency, moneyType } = total;
    const sums = sumsOf(total, facts).filter(([amount]) => total[amount] !== 0n);
    const kind = moneyType === undefined ? currency : `${currency}, money type ${moneyType}`;
    const texts = sums.map((sum) => sum.join(' '));
    return sums.length === 0 ? [] : [`total ${printable(kind)}: ${texts.join(', ')}`];
  });
}

function comparisonLines({ added, removed, changed, differences }: Comparison, facts: ReportFacts): string[] {
  const sums = differences.flatMap((total) =>
    sumsOf(total, facts).map(
      ([amount, sum]) => `  ${amount} ${total.currency} ${Number(total[amount]) > 0 ? '+' : ''}${sum}`,
    ),
  );
  const named = changed.slice(0, NAMED_CHANGES).map(({ id, currency, changes }) => {
    const what = changes.map(({ member, from, to }) => `${member} ${from || 'absent'} → ${to || 'absent'}`);
    return `  ${id} ${currency}: ${what.join(', ')}`;
  });
  const more = changed.length - named.length;
  return [
    `compared: ${added} added, ${removed} removed, ${changed.length} changed`,
    ...[...sums, ...named].map(printable),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

/** Each amount that a total has, and its sum: as a decimal if the decimals of the currency are known. */
function sumsOf(total: Total, facts: ReportFacts): (readonly [amount: string, sum: string])[] {
  const held = facts.amounts.filter((amount) => total[amount] !== undefined);
  return held.map((amount) => [
    amount,
    facts.decimalOf(total[amount], total.currency) ?? String(total[amount]),
  ]);
}
