import { hash } from 'node:crypto';

import { formatAmount, type ReportPage } from '#caller';
import { extentsDiffer, REPORT_AMOUNTS, type ReportName, spansIntervals } from '#contracts';

import { isDate } from '../input.ts';
import { counted } from '../output.ts';
import { isInteger, type ReportRecord, Totals } from './totals.ts';

export type Page = ReportPage<ReportRecord>;
export type ColumnType = 'integer' | 'date' | 'text';

/**
 * The members of a record that are not amounts.
 * Source: interface document, "Ad hoc report record", "Player rake record".
 */
const MEMBERS: Readonly<Record<ReportName, Readonly<Record<string, ColumnType>>>> = {
  'ad-hoc': { id: 'text', userId: 'text', date: 'date', moneyType: 'integer', currency: 'text' },
  rake: { id: 'text', userId: 'text', currency: 'text' },
};

/** Counts and totals of the pages read so far, in one run or several. */
export class ReportFacts {
  readonly report: ReportName;
  readonly amounts: readonly string[];
  /** The columns of a record: those of the interface document, then those that the platform adds. */
  readonly columns: Map<string, ColumnType>;
  readonly totals: Totals;
  pages = 0;
  records = 0;
  /** Odd values that a worker with REPORT_RECORDS=lenient passed on unchanged. */
  faults = 0;
  /** True if pages reported different counts. */
  hasChanged = false;
  first: Page | undefined;
  last: Page | undefined;
  /** When the worker read a report without pages: ISO 8601, UTC. */
  emptyAt: string | undefined;
  /** By currency, as the worker knows them; null if it does not. */
  readonly #decimals = new Map<string, number | null>();
  readonly #given: ReadonlyMap<string, number>;
  /**
   * Hashes of each record's identity, and of its identity with its amounts: sets would take ten times the
   * memory.
   */
  readonly #identities: BigUint64Array[] = [];
  readonly #versions: BigUint64Array[] = [];

  /** @param given decimals by currency, for currencies that the worker does not know */
  constructor(report: ReportName, given: ReadonlyMap<string, number> = new Map()) {
    this.report = report;
    this.amounts = REPORT_AMOUNTS[report];
    const amounts = this.amounts.map((name) => [name, 'integer'] as const);
    this.columns = new Map([...Object.entries(MEMBERS[report]), ...amounts]);
    this.totals = new Totals(this.amounts);
    this.#given = given;
  }

  add(page: Page): void {
    this.first ??= page;
    this.last = page;
    this.pages += 1;
    this.records += page.records.length;
    this.faults += page.faults?.length ?? 0;
    this.hasChanged ||= extentsDiffer(page, this.first);
    for (const [currency, count] of Object.entries(page.precisions)) {
      this.#decimals.set(currency, count ?? this.#decimals.get(currency) ?? null);
    }
    this.#identities.push(BigUint64Array.from(page.records, (record) => hashOf(identityOf(record))));
    this.#versions.push(BigUint64Array.from(page.records, (record) => hashOf(this.#versionOf(record))));
    for (const record of page.records) {
      this.totals.add(record);
      for (const [member, value] of Object.entries(record)) this.#addType(member, value);
    }
  }

  /** True if the last page was read, according to that page. */
  get isComplete(): boolean {
    return this.last !== undefined && this.pages >= this.last.pageCount;
  }

  /** The number of records and pages, for people. */
  get size(): string {
    return `${counted(this.records, 'record')} of ${counted(this.pages, 'page')}`;
  }

  get totalCount(): number {
    return this.last?.totalCount ?? 0;
  }

  /**
   * Counts repeated records, further versions of them with other amounts (`changed`), and records that the
   * platform counts but did not send (`missing`, negative if it sent more). The worker's own counts cover a
   * single command, but a resumed report takes a command for each page.
   */
  count() {
    const identities = distinctIn(this.#identities);
    const repeated = this.records - identities;
    // A platform that does not count sends 0.
    const missing = this.totalCount === 0 ? 0 : this.totalCount - identities;
    return { repeated, changed: distinctIn(this.#versions) - identities, missing };
  }

  get readFrom(): string | undefined {
    return this.first?.readAt ?? this.emptyAt;
  }

  /** True if the platform aggregated its figures between the first page and the last. */
  get spansIntervals(): boolean {
    const [fromMs = 0, toMs = 0] = [this.first, this.last].map((page) => page && Date.parse(page.readAt));
    return spansIntervals(fromMs, toMs);
  }

  /** Currencies whose decimals are unknown, by name. */
  get unknownCurrencies(): string[] {
    return Object.keys(this.precisions).filter((name) => this.precisions[name] === null);
  }

  /** Currencies for which the user gave other decimals than the worker has. */
  get contradictedCurrencies(): string[] {
    const given = [...this.#given].filter(([name, count]) => (this.#decimals.get(name) ?? count) !== count);
    return given.map(([name]) => name);
  }

  /** The decimals of each currency of the report, null if they are unknown. */
  get precisions(): Readonly<Record<string, number | null>> {
    const names = [...this.#decimals.keys()].toSorted();
    return Object.fromEntries(names.map((name) => [name, this.decimalsOf(name) ?? null]));
  }

  readonly decimalsOf = (currency: unknown): number | undefined => {
    const name = String(currency);
    return this.#decimals.get(name) ?? this.#given.get(name);
  };

  /** An amount as an exact decimal; undefined if it is not an integer, or its decimals are unknown. */
  decimalOf(amount: unknown, currency: unknown): string | undefined {
    const decimals = this.decimalsOf(currency);
    return decimals !== undefined && isInteger(amount) ? formatAmount(BigInt(amount), decimals) : undefined;
  }

  #addType(member: string, value: unknown): void {
    const known = this.columns.get(member);
    if (known === 'text' || value === null) return;
    const type = typeOf(value);
    this.columns.set(member, type === (known ?? type) ? type : 'text');
  }

  #versionOf(record: ReportRecord): string {
    return `${identityOf(record)} ${this.amounts.map((amount) => String(record[amount])).join()}`;
  }
}

function typeOf(value: unknown): ColumnType {
  if (isInteger(value)) return 'integer';
  return typeof value === 'string' && isDate(value) ? 'date' : 'text';
}

/**
 * The interface document does not promise that an id differs between currencies and money types of a player.
 */
export function identityOf({ id, currency, moneyType }: ReportRecord): string {
  return `${String(id)} ${String(currency)} ${String(moneyType)}`;
}

const hashOf = (text: string): bigint => hash('sha1', text, 'buffer').readBigUInt64LE();

/** Returns the number of distinct values, by sorting a copy. */
function distinctIn(parts: readonly BigUint64Array[]): number {
  const all = new BigUint64Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  all.sort();
  let distinct = 0;
  for (let index = 0; index < all.length; index += 1)
    if (index === 0 || all[index] !== all[index - 1]) distinct += 1;
  return distinct;
}
