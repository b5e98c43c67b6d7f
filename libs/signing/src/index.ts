export { canonicalize } from './canonicalize.ts';
export { exactJson, parseExactJson } from './exact-json.ts';
export { explainSignature, type Explanation, signatureOf, signedText } from './explain-signature.ts';
export { sign, signRawBody } from './sign.ts';
export {
  DEFAULT_SIGNATURE_SETTINGS,
  type SignatureSettings,
  type SignedParameters,
} from './signature-settings.ts';
export { SIGNATURE_VARIABLES, type SignatureVariable } from './signature-variables.ts';
export { type SignedPiece, traceSignature } from './trace-signature.ts';
export { type Mistake, type SignedRequest, usualMistakes } from './usual-mistakes.ts';
