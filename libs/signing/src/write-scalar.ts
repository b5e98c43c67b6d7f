import type { SignatureSettings } from './signature-settings.ts';

/** Writes a value that is neither object nor list as the canonical string holds it. */
export function writeScalar(value: unknown, scalars: SignatureSettings['scalars']): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (scalars === 'json') return String(value);
  return value === true ? '1' : '';
}
