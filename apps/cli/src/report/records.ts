import { createHash } from 'node:crypto';

import { formatAmount } from '#caller';
import type { ReportName, ReportRecord } from '#contracts';
import { parseExactJson } from '#signing';

import { written } from '../input/json.ts';

/** The sums of one currency and, in the ad hoc report, one kind of money; by the name of the amount. */
export interface Total {
  readonly currency: string;
  readonly moneyType?: string;
  readonly amounts: Map<string, bigint>;
}

/** What one look at all records of a report shows. */
export interface RecordFacts {
  /** The members of a record: those of the interface document, then those that the platform adds. */
  readonly members: readonly string[];
  /** Those that are amounts of the record's currency. */
  readonly amounts: readonly string[];
  /** Those whose values are integers in every record that has them. */
  readonly integers: ReadonlySet<string>;
  /** Records that came before. */
  readonly repeated: number;
  readonly totals: readonly Total[];
}

/** The members of each report that are no amounts. Source: interface document, "Ad hoc report record", "Player rake record". */
const MEMBERS: Readonly<Record<ReportName, readonly string[]>> = {
  'ad-hoc': ['id', 'userId', 'date', 'moneyType', 'currency'],
  rake: ['id', 'userId', 'currency'],
};
const TEXTS = ['id', 'userId', 'date', 'currency'];

/**
 * Reads all records of a report once.
 *
 * @param lines the records, each as JSON
 * @param count how many there are
 */
export async function readRecords(
  report: ReportName,
  lines: AsyncIterable<string>,
  count: number,
): Promise<RecordFacts> {
  // Loaded only when a report has come: it takes longer than everything else here.
  const { REPORT_AMOUNTS } = await import('#platform');
  const amounts = REPORT_AMOUNTS[report];
  const members = new Set([...MEMBERS[report], ...amounts]);
  const others = new Set<string>();
  const totals = new Map<string, Total>();
  const identities = new BigUint64Array(count);
  let next = 0;
  for await (const line of lines) {
    const record = parseExactJson(line) as ReportRecord;
    identities[next++] = hashOf(record);
    for (const [member, value] of Object.entries(record)) {
      members.add(member);
      if (!isInteger(value)) others.add(member);
    }
    add(totals, record, amounts);
  }
  for (const member of TEXTS) others.add(member);
  return {
    members: [...members],
    amounts,
    integers: new Set([...members].filter((member) => !others.has(member))),
    repeated: repeatsIn(identities),
    totals: [...totals.values()].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)),
  };
}

/**
 * An amount in minor units as a decimal, exactly; undefined if it is no integer.
 *
 * @param precision the number of decimals
 */
export function decimalOf(amount: unknown, precision: number): string | undefined {
  return isInteger(amount) ? formatAmount(BigInt(amount), precision) : undefined;
}

function isInteger(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

function add(totals: Map<string, Total>, record: ReportRecord, amounts: readonly string[]): void {
  const { currency, moneyType } = record;
  const own = {
    currency: String(currency),
    ...(moneyType !== undefined && { moneyType: written(moneyType) }),
  };
  const key = keyOf(own);
  let total = totals.get(key);
  if (!total) totals.set(key, (total = { ...own, amounts: new Map() }));
  for (const amount of amounts) {
    const value = record[amount];
    if (isInteger(value)) total.amounts.set(amount, (total.amounts.get(amount) ?? 0n) + BigInt(value));
  }
}

function keyOf({ currency, moneyType = '' }: Pick<Total, 'currency' | 'moneyType'>): string {
  return `${currency} ${moneyType}`;
}

/** The interface document does not say that an id alone tells the records of a player's currencies and kinds of money apart. */
function hashOf({ id, currency, moneyType }: ReportRecord): bigint {
  const identity = `${id} ${String(currency)} ${String(moneyType)}`;
  return createHash('sha1').update(identity).digest().readBigUInt64LE();
}

function repeatsIn(identities: BigUint64Array): number {
  identities.sort();
  return identities.filter((identity, index) => index > 0 && identity === identities[index - 1]).length;
}
