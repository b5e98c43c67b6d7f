import { counted, jsonLine, printable, written } from '../output.ts';
import type { ReportFacts } from './facts.ts';
import { incompleteness, type Period } from './period.ts';

/** The end of a report for programs: one object on one line. */
export function endingJson(file: string, facts: ReportFacts): string {
  const { report, pages, records, totalCount, hasChanged, repeated, missing, faults, first, last } = facts;
  const changedWhileReading = hasChanged || repeated > 0 || missing !== 0;
  const counts = { report, pages, records, totalCount, changedWhileReading, repeated, missing, faults };
  const spansIntervals = last && facts.spansIntervals;
  const times = { readFrom: first?.readAt, readTo: last?.readAt, spansIntervals };
  return jsonLine({ file, ...counts, ...times, totals: facts.totals });
}

/** The end of a report for people: what was written, and the totals by currency and kind of money that are not zero. */
export function describeEnding(file: string, facts: ReportFacts): string {
  const totals = facts.totals.flatMap((total) => {
    const { currency, moneyType } = total;
    const sums = facts.amounts.flatMap((amount) => {
      const sum = total[amount];
      return sum ? [`${amount} ${facts.decimalOf(sum, currency) ?? written(sum)}`] : [];
    });
    const kind = moneyType === undefined ? currency : `${currency}, money type ${moneyType}`;
    return sums.length === 0 ? [] : [`total ${printable(kind)}: ${sums.join(', ')}`];
  });
  return [`${facts.size} ${file === '-' ? 'printed' : `in ${file}`}`, ...totals].join('\n');
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
