import { formatAmount } from '#caller';

import { EXIT } from '../exit.ts';
import { alignedLines, counted, jsonLine, printable, shortened, written } from '../output.ts';
import { identityOf } from './facts.ts';
import { ALL_AMOUNTS, type ReportFile } from './report-file.ts';
import { type DecimalsOf, isInteger, type ReportRecord, Totals, type Unit, unitOf } from './totals.ts';

interface Difference {
  /** Absent for totals. */
  readonly id?: string;
  readonly currency: string;
  readonly moneyType?: unknown;
  readonly unit: Unit;
  readonly member: string;
  readonly before: string;
  readonly after: string;
  /** Absent if one of them is not an amount. */
  readonly difference?: string;
}

export interface DiffOptions {
  readonly json?: true;
  readonly limit: number;
  /** Used for currencies that no summary knows. */
  readonly decimals: ReadonlyMap<string, number>;
}

const LONGEST_CELL = 48;
/** Members that have to be equal in two summaries, or the figures cannot be compared. */
const SAME = ['report', 'period', 'operator', 'filters'] as const;

/** Prints the differences between two files of a report, and sets the exit code to 1 if there are any. */
export function printDiff(
  before: ReportFile,
  after: ReportFile,
  { json, limit, decimals }: DiffOptions,
): void {
  const precisions = {
    ...Object.fromEntries(decimals),
    ...before.summary.precisions,
    ...after.summary.precisions,
  };
  const decimalsOf: DecimalsOf = (currency) => precisions[String(currency)] ?? undefined;
  const [old, now] = [byIdentity(before.records), byIdentity(after.records)];
  const removed = [...old].filter(([key]) => !now.has(key)).map(([, record]) => record);
  const added = [...now].filter(([key]) => !old.has(key)).map(([, record]) => record);
  const pairs = [...old].map(([key, record]) => [record, now.get(key)] as const);
  const changed = pairs.map(([one, other]) => (other ? recordDifferences(one, other, decimalsOf) : []));
  const counts = {
    added: added.length,
    removed: removed.length,
    changed: changed.filter((differences) => differences.length > 0).length,
  };
  const totals = totalDifferences(before.records, after.records, decimalsOf);
  const records = [
    ...removed.map((record) => ({ change: 'removed', ...kindOf(record) })),
    ...added.map((record) => ({ change: 'added', ...kindOf(record) })),
    ...changed.flat().map((difference) => ({ change: 'changed', ...difference })),
  ];
  const warnings = warningsOf(before, after);
  if (records.length > 0) process.exitCode = EXIT.failed;
  const files = { before: factsOf(before), after: factsOf(after) };
  if (json)
    return void process.stdout.write(`${jsonLine({ ...files, ...counts, totals, records, warnings })}\n`);
  const shown = records.slice(0, limit);
  const lines = [
    ...alignedLines([describeFile('before', before), describeFile('after', after)]),
    '',
    `${counted(counts.added, 'record')} added, ${counts.removed} removed, ${counts.changed} changed`,
    ...tableOf(['currency', 'money type', 'amount', 'before', 'after', 'difference'], totals.map(cellsOf)),
    ...tableOf(
      ['change', 'record', 'currency', 'money type', 'member', 'before', 'after', 'difference'],
      shown.map((row) => [row.change, row.id ?? '', ...cellsOf(row)]),
    ),
    ...(shown.length < records.length ? [`the first ${limit}; --limit ${records.length} lists all`] : []),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
}

/** Compares the summaries. The printed table says if one of them is missing. */
function warningsOf({ summary: before }: ReportFile, { summary: after }: ReportFile): string[] {
  const known = SAME.filter((name) => before[name] !== undefined && after[name] !== undefined);
  return known
    .filter((name) => differs(before[name], after[name]))
    .map((name) => `the files differ in ${name}`);
}

/** Indexes records by identity. A repeated record within the file counts as a further record. */
function byIdentity(records: readonly ReportRecord[]): Map<string, ReportRecord> {
  const found = new Map<string, ReportRecord>();
  for (const record of records) {
    let key = identityOf(record);
    while (found.has(key)) key += ' again';
    found.set(key, record);
  }
  return found;
}

function recordDifferences(one: ReportRecord, other: ReportRecord, decimalsOf: DecimalsOf): Difference[] {
  const members = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...members].flatMap((member) => {
    if (!differs(one[member], other[member])) return [];
    const decimals = ALL_AMOUNTS.includes(member) ? decimalsOf(one['currency']) : 0;
    return [{ ...kindOf(one), ...differenceOf(member, one[member], other[member], decimals) }];
  });
}

function totalDifferences(
  one: readonly ReportRecord[],
  other: readonly ReportRecord[],
  decimalsOf: DecimalsOf,
): Difference[] {
  const [before, after] = [new Totals(ALL_AMOUNTS), new Totals(ALL_AMOUNTS)];
  for (const record of one) before.add(record);
  for (const record of other) after.add(record);
  const [old, now] = [new Map(before.all), new Map(after.all)];
  return [...new Set([...old.keys(), ...now.keys()])].toSorted().flatMap((kind) => {
    const [was, is] = [old.get(kind)?.sums, now.get(kind)?.sums];
    const { currency = '', moneyType } = old.get(kind) ?? now.get(kind) ?? {};
    return ALL_AMOUNTS.flatMap((amount) => {
      const sums = [was?.get(amount) ?? 0n, is?.get(amount) ?? 0n] as const;
      if (sums[0] === sums[1]) return [];
      return [{ currency, moneyType, ...differenceOf(amount, ...sums, decimalsOf(currency)) }];
    });
  });
}

function differenceOf(member: string, before: unknown, after: unknown, decimals: number | undefined) {
  const text = (value: unknown): string =>
    isInteger(value) ? formatAmount(BigInt(value), decimals ?? 0) : written(value ?? '');
  const texts = { unit: unitOf(decimals), member, before: text(before), after: text(after) };
  if (!isInteger(before) || !isInteger(after)) return texts;
  const difference = BigInt(after) - BigInt(before);
  return { ...texts, difference: `${difference > 0n ? '+' : ''}${text(difference)}` };
}

function kindOf({ id, currency, moneyType }: ReportRecord) {
  return { id: String(id), currency: String(currency), moneyType };
}

function factsOf({ path, records, summary: { readFrom, readTo } }: ReportFile) {
  return { file: path, records: records.length, readFrom, readTo };
}

function describeFile(name: string, file: ReportFile): string[] {
  const { readFrom, readTo } = file.summary;
  const read = readFrom ? `read from ${readFrom} to ${readTo}` : 'without a summary beside it';
  return [name, file.path, counted(file.records.length, 'record'), read].map(printable);
}

function cellsOf({ currency, moneyType = '', ...change }: Partial<Difference>): string[] {
  const { unit, member = '', before = '', after = '', difference = '' } = change;
  const name = unit === 'minor' ? `${member} (minor units)` : member;
  return [currency ?? '', written(moneyType), name, before, after, difference];
}

/** Returns the lines of a table, without an empty column of money types; none without rows. */
function tableOf(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const isEmpty = (column: number) =>
    titles[column] === 'money type' && rows.every((row) => row[column] === '');
  const all = [titles, ...rows].map((row) =>
    row.filter((_, column) => !isEmpty(column)).map((cell) => shortened(printable(cell), LONGEST_CELL)),
  );
  const width = all[0]?.length ?? 0;
  return ['', ...alignedLines(all, width - 3, width - 2, width - 1)];
}

/** Compares values as they are written: CSV holds texts only. */
function differs(one: unknown, other: unknown): boolean {
  return written(one ?? '') !== written(other ?? '');
}
