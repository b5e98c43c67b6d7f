import { phpFloat, phpNumber } from './php-number.ts';
import type { SignatureSettings } from './signature-settings.ts';

/** Writes a value that is neither object nor list as the canonical string holds it. */
export function writeScalar(value: unknown, scalars: SignatureSettings['scalars']): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : phpFloat(value);
  if (typeof value === 'bigint') return phpNumber(String(value), Number(value));
  if (scalars === 'json') return String(value);
  return value === true ? '1' : '';
}
