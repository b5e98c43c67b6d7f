import type { Explanation } from '../explanation/explain-signature.ts';
import { PlatformError } from '../json-api/platform-error.ts';

/** The 400 of a signature that is missing or wrong, in the words of the endpoint's version. */
export function signatureRejection(version: 'v2' | 'v3', explanation: Explanation): PlatformError {
  const detail = version === 'v2' ? 'Not Valid Request Signature' : 'Not valid request';
  return new PlatformError(400, { detail, meta: { explanation } });
}
