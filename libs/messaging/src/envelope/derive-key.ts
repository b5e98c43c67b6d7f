import { hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;

/** A key for one purpose, from the key that all workers share. */
export function deriveKey(internalKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', internalKey, '', `poker-bridge ${purpose}`, KEY_BYTES));
}
