import { alignedLines, counted, printable, written } from '../output.ts';
import type { ReportFacts } from './facts.ts';
import { incompleteness, wholeDays } from './period.ts';
import type { ReportRequest } from './read-pages.ts';
import type { WrittenTotal } from './totals.ts';

/** The most totals that are printed side by side. */
const TOTALS_A_TABLE = 5;

export type ReportSummary = ReturnType<typeof summaryOf>;

/**
 * Returns the summary of a report, which is printed, written to `<file>.summary.json`, and stored in Parquet.
 */
export function summaryOf(
  file: string,
  facts: ReportFacts,
  { data, operator = 'default' }: ReportRequest,
  inMinorUnits = false,
) {
  const { report, pages, records, totalCount, faults, spansIntervals } = facts;
  const { dateFrom, dateTo, timeZone = null, perPage: _perPage, ...filters } = data;
  const counts = facts.count();
  return {
    file,
    report,
    // Without a zone in the request, the platform uses its own.
    period: { from: dateFrom, to: dateTo, timeZone },
    operator,
    filters: filters as Readonly<Record<string, unknown>>,
    readFrom: facts.readFrom ?? null,
    readTo: facts.last?.readAt ?? facts.readFrom ?? null,
    pages,
    records,
    totalCount,
    changedWhileReading: facts.hasChanged || counts.repeated > 0 || counts.missing !== 0,
    ...counts,
    faults,
    spansIntervals,
    precisions: facts.precisions,
    totals: facts.totals.written(inMinorUnits ? () => undefined : facts.decimalsOf),
    warnings: warningsOf(facts, counts, data),
  };
}

/** Returns the summary for people, without warnings. */
export function describeSummary(summary: ReportSummary): string {
  const { file, report, period, operator, filters, readFrom, readTo, pages, records, totalCount } = summary;
  const read = `${counted(records, 'record')} of ${counted(pages, 'page')}`;
  const limits = Object.entries(filters).map(([name, value]) => `${name} ${written(value)}`);
  const facts = [
    ['report', report],
    ['period', describePeriod(period)],
    ['zone', period.timeZone ?? "the platform's own, presumably UTC"],
    ['operator', operator],
    ['filters', limits.join(', ') || 'none'],
    ['read', readFrom === readTo ? `at ${readFrom}` : `from ${readFrom} to ${readTo}`],
    ['records', `${records}; the platform counts ${totalCount}`],
    ['noticed', describeOddities(summary)],
  ];
  const lines = alignedLines(facts.map((cells) => cells.map(printable)));
  const { totals } = summary;
  const count = Math.ceil(totals.length / TOTALS_A_TABLE);
  const size = Math.ceil(totals.length / count);
  const tables = Array.from({ length: count }, (_, index) =>
    tableOf(totals.slice(index * size, (index + 1) * size)),
  );
  return [`${read} ${file === '-' ? 'printed' : `in ${file}`}`, '', ...lines, ...tables.flat()].join('\n');
}

function describePeriod({ from, to }: ReportSummary['period']): string {
  const days = wholeDays({ dateFrom: from, dateTo: to });
  return `${from} to ${to}${days === undefined ? '' : ` (${days})`}`;
}

function describeOddities({ repeated, changed, missing, faults }: ReportSummary): string {
  const oddities = Object.entries({ repeated, changed, missing, odd: faults });
  const noticed = oddities.filter(([, count]) => count !== 0).map(([what, count]) => `${count} ${what}`);
  return noticed.join(', ') || 'nothing repeated, changed, missing or odd';
}

/** Returns the lines of a table, with a row for each amount that is not 0 everywhere. */
function tableOf(totals: readonly WrittenTotal[]): string[] {
  const names = [...new Set(totals.flatMap(({ amounts }) => Object.keys(amounts)))];
  const rowOf = (name: string, cellOf: (total: WrittenTotal) => string) => [name, ...totals.map(cellOf)];
  const sums = names.map((name) => rowOf(name, ({ amounts }) => amounts[name] ?? ''));
  const isAnyWith = (has: (total: WrittenTotal) => boolean, row: string[]) => (totals.some(has) ? [row] : []);
  const rows = [
    rowOf('total', ({ currency }) => printable(currency)),
    ...isAnyWith(
      ({ moneyType }) => moneyType !== undefined,
      rowOf('money type', ({ moneyType }) => printable(written(moneyType ?? ''))),
    ),
    ...isAnyWith(
      ({ unit }) => unit === 'minor',
      rowOf('unit', ({ unit }) => (unit === 'minor' ? 'minor units' : '')),
    ),
    ...sums.filter(([, ...cells]) => cells.some((cell) => /[1-9]/.test(cell))),
  ];
  return ['', ...alignedLines(rows, ...totals.map((_, index) => index + 1))];
}

/** Returns reasons why the report may not be usable as it is. */
function warningsOf(
  facts: ReportFacts,
  { repeated, changed, missing }: ReturnType<ReportFacts['count']>,
  { timeZone, ...period }: ReportRequest['data'],
): string[] {
  const { first, last, faults, unknownCurrencies: unknown, contradictedCurrencies: contradicted } = facts;
  const other = changed > 0 ? `, ${changed} with other amounts` : '';
  return [
    facts.hasChanged && 'the report changed while it was read; fetch it again',
    facts.spansIntervals &&
      `the pages were read from ${first?.readAt} to ${last?.readAt}, and the platform aggregates every ten ` +
        'minutes: they may not fit together; fetch it again',
    repeated > 0 && `${counted(repeated, 'record')} repeated${other}; fetch it again`,
    missing > 0 &&
      `${counted(missing, 'record')} missing of the ${facts.totalCount} that the platform counts; fetch it again`,
    missing < 0 &&
      `${counted(-missing, 'record')} more than the ${facts.totalCount} that the platform counts`,
    faults > 0 && `${counted(faults, 'odd value')}, written unchanged`,
    unknown.length > 0 &&
      `the decimals of ${unknown.join(', ')} are unknown: give --decimals ${unknown[0]}=2, ` +
        "or set the worker's CURRENCY_PRECISIONS",
    contradicted.length > 0 &&
      `the decimals given for ${contradicted.join(', ')} differ from those of the worker, which were used`,
    incompleteness(period, Date.now(), timeZone),
  ].flatMap((warning) => (typeof warning === 'string' ? [printable(warning)] : []));
}
