import { type ReportName, spansIntervals } from '#contracts';
import { exactJson } from '#signing';

import { printable } from '../output.ts';
import type { Comparison } from './compare.ts';
import { incompleteness, type Period } from './period.ts';
import type { Reading } from './reading.ts';
import { decimalOf, type Precisions, type RecordFacts } from './records.ts';

/** How many changed records are named; the others are counted. */
const NAMED_CHANGES = 20;

/** What is known of a report at its end. */
export interface Ending {
  readonly file: string;
  readonly report: ReportName;
  readonly reading: Reading;
  readonly facts: RecordFacts;
  readonly comparison: Comparison | undefined;
}

/** The end of a report for programs: one object on one line. */
export function endingJson({ file, report, reading, facts, comparison }: Ending): string {
  const { pages, records, faults, last, hasChanged, readFrom, readTo } = reading;
  const { repeated, totals } = facts;
  const missing = missingOf(reading, facts);
  return exactJson({
    file,
    report,
    pages,
    records,
    totalCount: last?.totalCount ?? 0,
    changedWhileReading: hasChanged || repeated > 0 || missing !== 0,
    repeated,
    missing,
    faults,
    ...(readTo !== undefined && { readFrom, readTo, spansIntervals: spansAggregation(reading) }),
    totals: totals.map(({ amounts, ...kind }) => ({ ...kind, ...Object.fromEntries(amounts) })),
    ...(comparison && {
      comparison: {
        ...comparison,
        changed: comparison.changed.length,
        differences: [...comparison.differences].map(([currency, own]) => ({
          currency,
          ...Object.fromEntries(own),
        })),
      },
    }),
  });
}

/** The end of a report for people: what was written, the totals by currency and kind of amount, and the comparison. */
export function describeEnding({ file, reading, facts, comparison }: Ending): string[] {
  return [
    `${reading.records} records of ${reading.pages} pages in ${file}`,
    ...totalLines(facts),
    ...(comparison ? comparisonLines(comparison, facts.precisions) : []),
  ];
}

/** What about a report a person has to know before using it. */
export function warningsOf({ reading, facts }: Ending, period: Period, timeZone?: string): string[] {
  const { readFrom, readTo, last, hasChanged, faults } = reading;
  const { repeated, precisions } = facts;
  const missing = missingOf(reading, facts);
  const counted = `the ${last?.totalCount} that the platform counts`;
  const unknown = [...precisions.keys()].filter((currency) => precisions.get(currency) === null).toSorted();
  return [
    hasChanged && 'the report changed while it was read; fetch it again',
    spansAggregation(reading) &&
      `the pages were read from ${readFrom} to ${readTo}, and the platform aggregates every ten minutes: they may not fit together; fetch it again`,
    repeated > 0 && `${repeated} records came twice; fetch it again`,
    missing > 0 && `${missing} records are missing of ${counted}`,
    missing < 0 && `${-missing} records more than ${counted}`,
    faults > 0 && `${faults} records have an odd value, which was written as it came`,
    unknown.length > 0 &&
      `no decimals are known of ${unknown.join(', ')}: say --decimals ${unknown[0]}=2, or name them in the worker's CURRENCY_PRECISIONS`,
    incompleteness(period, timeZone, Date.now()),
  ].flatMap((warning) => (typeof warning === 'string' ? [printable(warning)] : []));
}

/** Whether the platform has aggregated its figures between the first page and the last. */
function spansAggregation({ readFrom = '', readTo = '' }: Reading): boolean {
  return readTo !== '' && spansIntervals(Date.parse(readFrom), Date.parse(readTo));
}

/** A report with a record too many has a negative count. */
function missingOf({ last, records }: Reading, { repeated }: RecordFacts): number {
  return (last?.totalCount ?? 0) - (records - repeated);
}

/** A line for each currency and kind of money, with the amounts that are not zero. */
function totalLines({ totals, precisions }: RecordFacts): string[] {
  return totals.flatMap(({ currency, moneyType, amounts }) => {
    const kind = moneyType === undefined ? currency : `${currency}, money type ${moneyType}`;
    const sums = [...amounts]
      .filter(([, amount]) => amount !== 0n)
      .map(([name, amount]) => `${name} ${amountText(amount, currency, precisions)}`);
    return sums.length === 0 ? [] : [`total ${printable(kind)}: ${sums.join(', ')}`];
  });
}

function comparisonLines(comparison: Comparison, precisions: Precisions): string[] {
  const { added, removed, changed, differences } = comparison;
  const sums = [...differences].flatMap(([currency, own]) =>
    [...own].map(([member, difference]) => {
      const sign = difference > 0n ? '+' : '';
      return `  ${member} ${currency} ${sign}${amountText(difference, currency, precisions)}`;
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

/** As a decimal if the decimals of the currency are known, else in minor units. */
function amountText(amount: bigint, currency: string, precisions: Precisions): string {
  return decimalOf(amount, precisions.get(currency)) ?? String(amount);
}
