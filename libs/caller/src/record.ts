import { REPORT_AMOUNTS, type ReportName, type ReportPage as ContractPage } from '@poker-bridge/contracts';

import { serializable } from './serializable.ts';

/**
 * Formats an amount in minor units as an exact decimal: 28831 with 2 decimals is `288.31`, with 4 `2.8831`.
 *
 * @param precision the number of decimals of the currency, from `page.precisions`
 * @throws RangeError if the precision is not a non-negative integer
 */
export function formatAmount(amount: bigint, precision: number | null | undefined): string {
  if (typeof precision !== 'number' || !Number.isInteger(precision) || precision < 0) {
    throw new RangeError('the currency has no configured number of decimals (CURRENCY_PRECISIONS)');
  }
  const sign = amount < 0n ? '-' : '';
  const digits = String(amount < 0n ? -amount : amount).padStart(precision + 1, '0');
  if (precision === 0) return `${sign}${digits}`;
  return `${sign}${digits.slice(0, -precision)}.${digits.slice(-precision)}`;
}

/**
 * One page of a report, with amounts as bigint. `JSON.stringify` writes amounts as numbers, and those beyond
 * 2^53 as strings.
 */
export interface ReportPage<R> extends Readonly<Omit<ContractPage, 'records'>> {
  readonly records: readonly R[];
}

export function readPage<R>(data: ContractPage): ReportPage<R> {
  return serializable({ ...data, records: data.records.map((record) => readRecord<R>(record)) });
}

type Amounts<Report extends ReportName> = {
  readonly [N in (typeof REPORT_AMOUNTS)[Report][number]]: bigint;
};

interface PlatformRecord {
  readonly id: string;
  /** The player. */
  readonly userId: string;
  /** ISO code. */
  readonly currency: string;
  /** Attributes that the platform adds to its documented ones. */
  readonly [attribute: string]: unknown;
}

/**
 * The figures of one player for one day, money type and currency. Amounts are in minor units of the currency.
 */
export type AdHocRecord = PlatformRecord &
  Amounts<'ad-hoc'> & {
    /** `YYYY-MM-DD`. */
    readonly date: string;
    /** The platform's number of a kind of money; the interface does not explain the numbers. */
    readonly moneyType: number;
  };

/** A player's rake in one currency, in its minor units. */
export type RakeRecord = PlatformRecord & Amounts<'rake'>;

const IS_AMOUNT: ReadonlySet<string> = new Set(Object.values(REPORT_AMOUNTS).flat());

/**
 * Returns a record with its amounts as bigint. Amounts that are not integers, which a lenient worker passes
 * on, stay unchanged.
 */
export function readRecord<R>(record: Readonly<Record<string, unknown>>): R {
  const members = Object.entries(record).map(([name, value]) => {
    const isAmount = IS_AMOUNT.has(name) && Number.isInteger(value);
    return [name, isAmount ? BigInt(value as number) : value];
  });
  return serializable(Object.fromEntries(members)) as R;
}
