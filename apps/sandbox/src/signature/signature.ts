import { hash, timingSafeEqual } from 'node:crypto';
import type { Conventions } from '../settings/clients.ts';
import { canonicalString } from './canonical-string.ts';
import type { Parameters } from './parameters.ts';

/** The parts of a request that its signature covers. */
export interface SignedContent {
  readonly version: 'v2' | 'v3';
  readonly parameters: Parameters;
  /** The body as it arrived. */
  readonly body: Buffer;
}

/** What is signed, before the secret key is appended. */
export function signedText({ version, parameters, body }: SignedContent, conventions: Conventions): string {
  const isRaw = version === 'v3' && conventions.schemeV3 === 'raw-body';
  return isRaw ? body.toString() : canonicalString(parameters, conventions);
}

/** The SHA-256, in lowercase hexadecimal, that a caller with this secret sends as `sign`. */
export function expectedSignature(
  content: SignedContent,
  secretKey: string,
  conventions: Conventions,
): string {
  if (content.version === 'v3' && conventions.schemeV3 === 'raw-body')
    return hash('sha256', Buffer.concat([content.body, Buffer.from(secretKey)]));
  return hash('sha256', signedText(content, conventions) + secretKey);
}

/** Compares in constant time. */
export function isSameSignature(sent: string, expected: string): boolean {
  const sentBytes = Buffer.from(sent);
  const expectedBytes = Buffer.from(expected);
  return sentBytes.length === expectedBytes.length && timingSafeEqual(sentBytes, expectedBytes);
}
