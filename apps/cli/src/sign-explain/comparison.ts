import { canonicalOf } from './canonical-of.ts';
import { type Mistake, mistakeBehind } from './mistakes.ts';
import type { Row } from './read-rows.ts';

/** A signature that a request was sent with, compared with the right one. */
export type Comparison =
  | { readonly kind: 'same' }
  /** A digest of SHA-256 is hexadecimal, and the platform wants it in lower case. */
  | { readonly kind: 'capitals' }
  /** Another one, and the mistake behind it if that is known; it may be in capitals, too. */
  | { readonly kind: 'other'; readonly mistake: Mistake | undefined; readonly isInCapitals: boolean };

/** @returns undefined if there is nothing to compare: no signature was given, or no secret */
export function comparisonOf(row: Row): Comparison | undefined {
  const { expectedSign } = row;
  const { sign } = canonicalOf(row);
  if (expectedSign === undefined || sign === undefined) return undefined;
  if (expectedSign === sign) return { kind: 'same' };
  const lowered = expectedSign.trim().toLowerCase();
  const isInCapitals = lowered !== expectedSign;
  if (lowered === sign) return { kind: 'capitals' };
  return { kind: 'other', mistake: mistakeBehind(row, lowered), isInCapitals };
}
