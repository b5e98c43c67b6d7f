/**
 * Writes an amount in minor units as a decimal, digit for digit: 28831 with 2 decimals is `288.31`, with 4 `2.8831`.
 *
 * @param amount of a record
 * @param precision the number of decimals of its currency, from `page.precisions`; `null`, if none is configured
 * @throws RangeError if the precision is no number of decimals: without one, an amount cannot be written
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
