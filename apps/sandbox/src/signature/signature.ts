import { hash, timingSafeEqual } from 'node:crypto';
import type { Conventions } from '../clients/client.ts';
import { canonicalString, type Parameters } from './canonical-string.ts';

/** The parts of a request that its signature covers. */
export interface SignedContent {
  readonly version: 'v2' | 'v3';
  readonly parameters: Parameters;
  /** The body as it arrived. */
  readonly body: Buffer;
}

/** The SHA-256, in lowercase hexadecimal, that a caller with this secret sends as `sign`. */
export function expectedSignature(
  content: SignedContent,
  secretKey: string,
  conventions: Conventions,
): string {
  if (content.version === 'v3' && conventions.schemeV3 === 'raw-body')
    return hash('sha256', Buffer.concat([content.body, Buffer.from(secretKey)]));
  return hash('sha256', canonicalString(content.parameters, conventions) + secretKey);
}

/** Compares in constant time. */
export function isSameSignature(sent: string, expected: string): boolean {
  const sentBytes = Buffer.from(sent);
  const expectedBytes = Buffer.from(expected);
  return sentBytes.length === expectedBytes.length && timingSafeEqual(sentBytes, expectedBytes);
}
