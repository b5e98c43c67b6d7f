import type { Explanation } from '../explanation/explain-signature.ts';
import { PlatformError } from '../json-api/platform-error.ts';

/** The 400 for a missing or wrong signature, with the text of the endpoint's version. */
export class SignatureRejection extends PlatformError {
  constructor(
    version: 'v2' | 'v3',
    readonly explanation: Explanation,
  ) {
    const detail = version === 'v2' ? 'Not Valid Request Signature' : 'Not valid request';
    super(400, { detail, meta: { explanation } });
  }
}
