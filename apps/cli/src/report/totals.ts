import { formatAmount } from '#caller';

import { written } from '../output.ts';

export type ReportRecord = Readonly<Record<string, unknown>>;

/** The number of decimals of a currency; undefined if it is unknown. */
export type DecimalsOf = (currency: unknown) => number | undefined;

/** The sums of one currency and, in the ad hoc report, one money type. */
interface Total {
  readonly currency: string;
  readonly moneyType?: unknown;
  /** In minor units. An amount is absent if no record has an integer there. */
  readonly sums: Map<string, bigint>;
}

export type Unit = 'decimal' | 'minor';

/** A total for people and programs. Amounts are texts, so that no reader rounds them. */
export type WrittenTotal = ReturnType<Totals['written']>[number];

/** Sums the amounts of records by currency and money type. */
export class Totals {
  readonly #amounts: readonly string[];
  readonly #totals = new Map<string, Total>();

  /** @param amounts the names of the members to sum */
  constructor(amounts: readonly string[]) {
    this.#amounts = amounts;
  }

  add(record: ReportRecord): void {
    const { currency, moneyType } = record;
    const key = `${written(currency)} ${moneyType === undefined ? '' : written(moneyType)}`;
    const known = this.#totals.get(key);
    const total: Total = known ?? { currency: String(currency), moneyType, sums: new Map<string, bigint>() };
    this.#totals.set(key, total);
    for (const amount of this.#amounts) {
      const value = record[amount];
      if (isInteger(value)) total.sums.set(amount, (total.sums.get(amount) ?? 0n) + BigInt(value));
    }
  }

  /** By currency and money type, sorted by name. */
  get all(): [kind: string, total: Total][] {
    return [...this.#totals].sort(([one], [other]) => (one < other ? -1 : 1));
  }

  /** The totals for people and programs; in minor units if the decimals of the currency are unknown. */
  written(decimalsOf: DecimalsOf) {
    return this.all.map(([, { currency, moneyType, sums }]) => {
      const decimals = decimalsOf(currency);
      const amounts = [...sums].map(([amount, sum]) => [amount, formatAmount(sum, decimals ?? 0)] as const);
      return { currency, moneyType, unit: unitOf(decimals), amounts: Object.fromEntries(amounts) };
    });
  }
}

export function unitOf(decimals: number | undefined): Unit {
  return decimals === undefined ? 'minor' : 'decimal';
}

export function isInteger(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}
