import { PlatformError } from '../json-api/platform-error.ts';

/** What is wrong with a request's signature, as the sandbox alone tells it. */
export interface Explanation {
  readonly reason: string;
}

/** The 400 of a signature that is missing or wrong, in the words of the endpoint's version. */
export function signatureRejection(version: 'v2' | 'v3', explanation: Explanation): PlatformError {
  const detail = version === 'v2' ? 'Not Valid Request Signature' : 'Not valid request';
  return new PlatformError(400, { detail, meta: { explanation } });
}
