export { canonicalize, type SignedParameters } from './canonicalize.ts';
export { decodeJsonString } from './decode-json-string.ts';
export { isExcluded } from './is-excluded.ts';
export { sign, signRawBody } from './sign.ts';
export { DEFAULT_SIGNATURE_SETTINGS, type SignatureSettings } from './signature-settings.ts';
export { writeScalar } from './write-scalar.ts';
