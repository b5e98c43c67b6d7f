import { hash } from 'node:crypto';

import { formatAmount, type ReportPage } from '#caller';
import { extentsDiffer, REPORT_AMOUNTS, type ReportName, spansIntervals } from '#contracts';

import { counted, written } from '../output.ts';

export type ReportRecord = Readonly<Record<string, unknown>>;
export type Page = ReportPage<ReportRecord>;

/** The sums of one currency and, in the ad hoc report, one kind of money, as a record has its amounts. */
type Total = Record<string, unknown> & {
  readonly currency: string;
  readonly moneyType?: string | undefined;
};

/** The members of each report that are no amounts. Source: interface document, "Ad hoc report record", "Player rake record". */
const MEMBERS = {
  'ad-hoc': ['id', 'userId', 'date', 'moneyType', 'currency'],
  rake: ['id', 'userId', 'currency'],
};

/** What the pages of a report that were read so far, over one run or several, show together. */
export class ReportFacts {
  readonly report: ReportName;
  /** The amounts of a record, in its currency. */
  readonly amounts: readonly string[];
  /** The members of a record: those of the interface document, then those that the platform adds. */
  readonly members: Set<string>;
  /** The columns that are not an integer in every record that has them. */
  readonly texts: Set<string>;
  pages = 0;
  records = 0;
  /** How many values a lenient worker found odd, and passed on as they were. */
  faults = 0;
  /** Whether pages counted different totals. */
  hasChanged = false;
  first: Page | undefined;
  last: Page | undefined;
  /** By currency; null if neither the worker nor the user knows them. */
  readonly #decimals: Map<string, number | null>;
  readonly #totals = new Map<string, Total>();
  /** Hashes of the ids of the records, by page: a set of them takes ten times the memory. */
  #identities: BigUint64Array[] = [];

  /** @param decimals of currencies that the worker does not know */
  constructor(report: ReportName, decimals: readonly (readonly [currency: string, count: number])[] = []) {
    this.report = report;
    this.amounts = REPORT_AMOUNTS[report];
    this.members = new Set([...MEMBERS[report], ...this.amounts]);
    this.texts = new Set(MEMBERS[report].filter((member) => member !== 'moneyType'));
    this.#decimals = new Map(decimals);
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
    this.#identities.push(BigUint64Array.from(page.records.map(identityOf)));
    for (const record of page.records) this.#addRecord(record);
  }

  /** Whether the last page was read, by what it said itself. */
  get isComplete(): boolean {
    return this.last !== undefined && this.pages >= this.last.pageCount;
  }

  /** How much was read, for people. */
  get size(): string {
    return `${counted(this.records, 'record')} of ${counted(this.pages, 'page')}`;
  }

  get totalCount(): number {
    return this.last?.totalCount ?? 0;
  }

  /** How many records came twice. It sorts the identities of all records. */
  get repeated(): number {
    const all = new BigUint64Array(this.records);
    let at = 0;
    for (const page of this.#identities) {
      all.set(page, at);
      at += page.length;
    }
    this.#identities = [all.sort()];
    return all.filter((identity, index) => index > 0 && identity === all[index - 1]).length;
  }

  /** How many records the platform counts more; negative if it counts fewer. A total of 0 beside records counts nothing. */
  get missing(): number {
    return this.totalCount === 0 ? 0 : this.totalCount - (this.records - this.repeated);
  }

  /** Whether the platform has aggregated its figures between the first page and the last. */
  get spansIntervals(): boolean {
    const [fromMs = 0, toMs = 0] = [this.first, this.last].map((page) => page && Date.parse(page.readAt));
    return spansIntervals(fromMs, toMs);
  }

  get totals() {
    return [...this.#totals].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, total]) => total);
  }

  get unknownCurrencies(): string[] {
    return [...this.#decimals].flatMap(([currency, count]) => (count === null ? [currency] : [])).toSorted();
  }

  /** The decimals of a currency, by the worker, else by the user. */
  decimalsOf(currency: unknown): number | undefined {
    return this.#decimals.get(String(currency)) ?? undefined;
  }

  /** An amount in minor units as an exact decimal; undefined if it is no integer, or its decimals are not known. */
  decimalOf(amount: unknown, currency: unknown): string | undefined {
    const decimals = this.decimalsOf(currency);
    return decimals !== undefined && isInteger(amount) ? formatAmount(BigInt(amount), decimals) : undefined;
  }

  #addRecord(record: ReportRecord): void {
    for (const [member, value] of Object.entries(record)) {
      this.members.add(member);
      if (!isInteger(value)) this.texts.add(member);
    }
    const currency = String(record['currency']);
    const moneyType = record['moneyType'] === undefined ? undefined : written(record['moneyType']);
    const key = `${currency} ${moneyType ?? ''}`;
    const total = this.#totals.get(key) ?? { currency, moneyType };
    this.#totals.set(key, total);
    for (const amount of this.amounts) {
      const [value, sum = 0n] = [record[amount], total[amount] as bigint | undefined];
      if (isInteger(value)) total[amount] = sum + BigInt(value);
    }
  }
}

function isInteger(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

/** The interface document does not say that an id alone tells the records of a player's currencies and kinds of money apart. */
function identityOf({ id, currency, moneyType }: ReportRecord): bigint {
  const identity = `${String(id)} ${String(currency)} ${String(moneyType)}`;
  return hash('sha1', identity, 'buffer').readBigUInt64LE();
}
