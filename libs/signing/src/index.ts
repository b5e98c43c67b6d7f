export { canonicalize } from './canonicalize.ts';
export { parseExactJson } from './exact-json.ts';
export { sign, signRawBody } from './sign.ts';
export { DEFAULT_SIGNATURE_SETTINGS, type SignatureSettings } from './signature-settings.ts';
export type { SignedParameters } from './signed-parameters.ts';
export { type SignedPiece, traceSignature } from './trace-signature.ts';
