import { createHash } from 'node:crypto';

import { formatAmount } from '#caller';
import { REPORT_AMOUNTS, type ReportName } from '#contracts';

import { written } from '../output.ts';

export type ReportRecord = Readonly<Record<string, unknown>>;
/** Decimals of each currency; null if none are known. */
export type Precisions = ReadonlyMap<string, number | null>;

/** The sums of one currency and, in the ad hoc report, one kind of money; by the name of the amount. */
interface Total {
  readonly currency: string;
  readonly moneyType?: string;
  readonly amounts: Map<string, bigint>;
}

/** What all records of a report show together. */
export interface RecordFacts {
  /** The members of a record: those of the interface document, then those that the platform adds. */
  readonly members: readonly string[];
  /** Its amounts, in the record's currency. */
  readonly amounts: readonly string[];
  /** The members whose values are integers in every record that has them. */
  readonly integers: ReadonlySet<string>;
  readonly precisions: Precisions;
  /** How many records came a second time. */
  readonly repeated: number;
  readonly totals: readonly Total[];
}

/** The members of each report that are no amounts. Source: interface document, "Ad hoc report record", "Player rake record". */
const MEMBERS: Readonly<Record<ReportName, readonly string[]>> = {
  'ad-hoc': ['id', 'userId', 'date', 'moneyType', 'currency'],
  rake: ['id', 'userId', 'currency'],
};
const TEXTS = ['id', 'userId', 'date', 'currency'];

/** Reads all records of a report once. @param count how many there are */
export async function readRecords(
  report: ReportName,
  records: AsyncIterable<ReportRecord>,
  count: number,
  precisions: Precisions,
): Promise<RecordFacts> {
  const amounts = REPORT_AMOUNTS[report];
  const members = new Set([...MEMBERS[report], ...amounts]);
  const texts = new Set(TEXTS);
  const totals = new Map<string, Total>();
  const identities = new BigUint64Array(count);
  let next = 0;
  for await (const record of records) {
    identities[next++] = hashOf(record);
    for (const [member, value] of Object.entries(record)) {
      members.add(member);
      if (!isInteger(value)) texts.add(member);
    }
    add(totals, record, amounts);
  }
  return {
    members: [...members],
    amounts,
    integers: new Set([...members].filter((member) => !texts.has(member))),
    precisions,
    repeated: identities.sort().filter((identity, index) => index > 0 && identity === identities[index - 1])
      .length,
    totals: [...totals].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, total]) => total),
  };
}

/** An amount in minor units as a decimal, exactly; undefined if it is no integer, or its decimals are not known. */
export function decimalOf(amount: unknown, precision: number | null | undefined): string | undefined {
  const isKnown = precision !== null && precision !== undefined;
  return isKnown && isInteger(amount) ? formatAmount(BigInt(amount), precision) : undefined;
}

function isInteger(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

function add(totals: Map<string, Total>, record: ReportRecord, amounts: readonly string[]): void {
  const currency = String(record['currency']);
  const moneyType = record['moneyType'] === undefined ? undefined : written(record['moneyType']);
  const key = `${currency} ${moneyType ?? ''}`;
  const kind = { currency, ...(moneyType !== undefined && { moneyType }) };
  const total = totals.get(key) ?? { ...kind, amounts: new Map<string, bigint>() };
  totals.set(key, total);
  for (const amount of amounts) {
    const value = record[amount];
    if (isInteger(value)) total.amounts.set(amount, (total.amounts.get(amount) ?? 0n) + BigInt(value));
  }
}

/** The interface document does not say that an id alone tells the records of a player's currencies and kinds of money apart. */
function hashOf({ id, currency, moneyType }: ReportRecord): bigint {
  const identity = `${String(id)} ${String(currency)} ${String(moneyType)}`;
  return createHash('sha1').update(identity).digest().readBigUInt64LE();
}
