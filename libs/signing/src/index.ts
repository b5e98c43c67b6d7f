export { exactJson, parseExactJson } from './exact-json.ts';
export {
  explainSignature,
  type Explanation,
  SIGNATURE_VARIABLES,
  signatureOf,
  type SignatureVariable,
  signedText,
} from './explain-signature.ts';
export {
  DEFAULT_SIGNATURE_SETTINGS,
  type SignatureSettings,
  type SignedParameters,
} from './signature-settings.ts';
export { sign, signRawBody } from './sign.ts';
export { type SignedPiece, traceSignature } from './trace-signature.ts';
export { type Mistake, type SignedRequest, usualMistakes } from './usual-mistakes.ts';
