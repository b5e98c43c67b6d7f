import { exactJson } from '#signing';

import type { ReportName } from '#contracts';

import { printable } from '../output/printable.ts';
import type { Comparison } from './compare.ts';
import { completeness, type Period } from './period.ts';
import type { Reading } from './reading.ts';
import { decimalOf, type RecordFacts } from './records.ts';

/** How many changed records are named; the others are counted. */
const NAMED_CHANGES = 20;

/** What is said of a report at its end. */
export interface Ending {
  readonly file: string;
  readonly report: ReportName;
  readonly reading: Reading;
  readonly facts: RecordFacts;
  /** Decimals of each currency; null if none are known. */
  readonly precisions: ReadonlyMap<string, number | null>;
  readonly comparison: Comparison | undefined;
}

/** The end of a report for programs: one object on one line. */
export function endingJson({ file, report, reading, facts, comparison }: Ending): string {
  const { pages, records, faults, total = 0 } = reading;
  const { repeated } = facts;
  const missing = missingOf(reading, facts);
  return exactJson({
    file,
    report,
    pages,
    records,
    totalCount: total,
    changedWhileReading: reading.hasChanged || repeated > 0 || missing !== 0,
    repeated,
    missing,
    faults,
    ...reading.readAt,
    totals: facts.totals.map(({ amounts, ...kind }) => ({ ...kind, ...Object.fromEntries(amounts) })),
    ...(comparison && { comparison: comparisonJson(comparison) }),
  });
}

/** The end of a report for people: what was written, the totals by currency and kind of amount, and the comparison. */
export function describeEnding({ file, reading, facts, precisions, comparison }: Ending): string[] {
  return [
    `${reading.records} records of ${reading.pages} pages in ${file}`,
    ...totalLines(facts, precisions),
    ...(comparison ? comparisonLines(comparison, precisions) : []),
  ];
}

/** What about a report is not as one would wish. */
export function warningsOf(ending: Ending, period: Period, timeZone: string | undefined): string[] {
  const { reading, facts, precisions } = ending;
  const missing = missingOf(reading, facts);
  const unknown = [...precisions].flatMap(([currency, precision]) => (precision === null ? [currency] : []));
  return [
    ...(reading.hasChanged ? ['the report changed while it was read; fetch it again'] : []),
    ...(reading.readAt?.spansIntervals
      ? [
          `the pages were read from ${reading.readAt.readFrom} to ${reading.readAt.readTo}, and the platform aggregates every ten minutes: they may not fit together; fetch it again`,
        ]
      : []),
    ...(facts.repeated > 0 ? [`${facts.repeated} records came twice; fetch it again`] : []),
    ...(missing > 0
      ? [`${missing} records are missing of the ${reading.total} that the platform counts`]
      : []),
    ...(missing < 0 ? [`${-missing} records more than the ${reading.total} that the platform counts`] : []),
    ...(reading.faults > 0
      ? [`${reading.faults} records have an odd value, which was written as it came`]
      : []),
    ...(unknown.length > 0
      ? [
          `no decimals are known of ${printable(unknown.toSorted().join(', '))}: say --decimals ${printable(unknown[0] ?? '')}=2, or name them in the worker's CURRENCY_PRECISIONS`,
        ]
      : []),
    ...periodWarnings(period, timeZone),
  ];
}

function periodWarnings(period: Period, timeZone: string | undefined): string[] {
  const incomplete = completeness(period, timeZone ?? 'UTC', Date.now());
  if (!incomplete) return [];
  const when = new Date(incomplete.completeAtMs).toISOString().replace('.000', '');
  const zone = timeZone ?? 'if the platform counts in UTC';
  const why = incomplete.hasEnded
    ? `the period ended at ${period.dateTo} (${zone}), and the platform aggregates every ten minutes`
    : `the period has not ended: it goes on until ${period.dateTo} (${zone})`;
  return [`${why}; figures may be missing: fetch it again after ${when}`];
}

/** A report with a record too many has a negative count. */
function missingOf({ total, records }: Reading, { repeated }: RecordFacts): number {
  return (total ?? 0) - (records - repeated);
}

/** A line for each currency and kind of money, with the amounts that are not zero. */
function totalLines({ totals }: RecordFacts, precisions: Ending['precisions']): string[] {
  return totals.flatMap(({ currency, moneyType, amounts }) => {
    const kind = moneyType === undefined ? currency : `${currency}, money type ${moneyType}`;
    const sums = [...amounts]
      .filter(([, amount]) => amount !== 0n)
      .map(([name, amount]) => `${name} ${amountText(amount, currency, precisions)}`);
    return sums.length === 0 ? [] : [`total ${printable(kind)}: ${sums.join(', ')}`];
  });
}

function comparisonLines(comparison: Comparison, precisions: Ending['precisions']): string[] {
  const { added, removed, changed, differences } = comparison;
  const sums = [...differences].flatMap(([currency, own]) =>
    [...own].map(([member, difference]) => {
      const sign = difference > 0n ? '+' : '';
      return `  ${member} ${printable(currency)} ${sign}${amountText(difference, currency, precisions)}`;
    }),
  );
  const named = changed.slice(0, NAMED_CHANGES).map(({ id, currency, changes }) => {
    const what = changes.map(({ member, from, to }) => `${member} ${from || 'absent'} → ${to || 'absent'}`);
    return `  ${printable(id)} ${printable(currency)}: ${printable(what.join(', '))}`;
  });
  const rest = changed.length > named.length ? [`  and ${changed.length - named.length} more`] : [];
  return [
    `compared: ${added} added, ${removed} removed, ${changed.length} changed`,
    ...sums,
    ...named,
    ...rest,
  ];
}

function comparisonJson({ added, removed, changed, differences }: Comparison): object {
  const sums = [...differences].map(([currency, own]) => ({ currency, ...Object.fromEntries(own) }));
  return { added, removed, changed: changed.length, differences: sums };
}

/** As a decimal if the decimals of the currency are known, else in minor units. */
function amountText(amount: bigint, currency: string, precisions: Ending['precisions']): string {
  const precision = precisions.get(currency) ?? null;
  return (precision === null ? undefined : decimalOf(amount, precision)) ?? String(amount);
}
