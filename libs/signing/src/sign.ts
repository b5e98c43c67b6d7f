import { hash } from 'node:crypto';

import type { SignatureSettings, SignedParameters } from './signature-settings.ts';
import { walkSigned } from './trace-signature.ts';

/** The string that is hashed with the secret key: every value that takes part, without separators. */
export function canonicalize(parameters: SignedParameters, settings: SignatureSettings): string {
  let canonical = '';
  walkSigned(parameters, settings, {}, (text) => (canonical += text));
  return canonical;
}

/**
 * The signature of a request over its parameters: SHA-256 of the canonical string and the secret key,
 * as 64 lowercase hexadecimal digits. Source: interface document, "Signature", steps 5 and 6.
 */
export function sign(parameters: SignedParameters, secretKey: string, settings: SignatureSettings): string {
  return hash('sha256', canonicalize(parameters, settings) + secretKey, 'hex');
}

/** The signature of the scheme `raw-body`: SHA-256 of the body's bytes in UTF-8 and the secret key. */
export function signRawBody(body: string, secretKey: string): string {
  return hash('sha256', body + secretKey, 'hex');
}
