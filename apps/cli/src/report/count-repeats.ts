import { createHash } from 'node:crypto';

import type { ReportRecord } from '#contracts';
import { parseExactJson } from '#signing';

/**
 * How many records came before; by 64 bits of a hash, in 8 bytes each.
 *
 * @param lines the records
 * @param count how many there are
 */
export async function countRepeats(lines: AsyncIterable<string>, count: number): Promise<number> {
  const identities = new BigUint64Array(count);
  let next = 0;
  for await (const line of lines) identities[next++] = hashOf(parseExactJson(line) as ReportRecord);
  identities.sort();
  return identities.filter((identity, index) => index > 0 && identity === identities[index - 1]).length;
}

/** The interface document does not say that an id alone tells the records of a player's currencies and kinds of money apart. */
function hashOf({ id, currency, moneyType }: ReportRecord): bigint {
  const identity = `${id} ${String(currency)} ${String(moneyType)}`;
  return createHash('sha1').update(identity).digest().readBigUInt64LE();
}
