import { exactJson } from '#signing';

import { counted, printable } from '../output.ts';
import type { Comparison } from './compare.ts';
import type { ReportFacts } from './facts.ts';
import { incompleteness, type Period } from './period.ts';

const NAMED_CHANGES = 20;

export type Ending = ReturnType<typeof endingOf>;

export function endingOf(file: string, facts: ReportFacts, comparison?: Comparison) {
  const repeated = facts.countRepeated();
  /** How many records the platform counts more; negative if it counts fewer. */
  const missing = facts.totalCount - (facts.records - repeated);
  return { file, facts, repeated, missing, comparison };
}

/** The end of a report for programs: one object on one line. */
export function endingJson({ file, facts, repeated, missing, comparison }: Ending): string {
  const { report, pages, records, totalCount, hasChanged, faults, spansIntervals } = facts;
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
    ...(facts.last && { readFrom: facts.first?.readAt, readTo: facts.last.readAt, spansIntervals }),
    totals: facts.totals.map(({ amounts, ...kind }) => ({ ...kind, ...Object.fromEntries(amounts) })),
    ...(comparison && {
      comparison: {
        ...comparison,
        changed: comparison.changed.length,
        differences: Array.from(comparison.differences, ([currency, own]) => ({
          currency,
          ...Object.fromEntries(own),
        })),
      },
    }),
  });
}

/** The end of a report for people: what was written, the totals by currency and kind of amount, and the comparison. */
export function describeEnding({ file, facts, comparison }: Ending): string[] {
  return [
    `${facts.size} ${file === '-' ? 'printed' : `in ${file}`}`,
    ...totalLines(facts),
    ...(comparison ? comparisonLines(comparison, facts) : []),
  ];
}

/** What about a report a person has to know before using it. */
export function warningsOf(
  { facts, repeated, missing }: Ending,
  period: Period,
  timeZone?: string,
): string[] {
  const { first, last, hasChanged, faults, unknownCurrencies: unknown } = facts;
  return [
    hasChanged && 'the report changed while it was read; fetch it again',
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
    incompleteness(period, timeZone, Date.now()),
  ].flatMap((warning) => (typeof warning === 'string' ? [printable(warning)] : []));
}

/** A line for each currency and kind of money, with the amounts that are not zero. */
function totalLines(facts: ReportFacts): string[] {
  return facts.totals.flatMap(({ currency, moneyType, amounts }) => {
    const kind = moneyType === undefined ? currency : `${currency}, money type ${moneyType}`;
    const sums = [...amounts]
      .filter(([, amount]) => amount !== 0n)
      .map(([name, amount]) => `${name} ${facts.decimalOf(amount, currency) ?? amount}`);
    return sums.length === 0 ? [] : [`total ${printable(kind)}: ${sums.join(', ')}`];
  });
}

function comparisonLines({ added, removed, changed, differences }: Comparison, facts: ReportFacts): string[] {
  const sums = [...differences].flatMap(([currency, own]) =>
    [...own].map(([member, difference]) => {
      const sign = difference > 0n ? '+' : '';
      return `  ${member} ${currency} ${sign}${facts.decimalOf(difference, currency) ?? difference}`;
    }),
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
