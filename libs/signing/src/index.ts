export { exactJson, parseExactJson, RAW_JSON } from './exact-json.ts';
export { explainSignature, signatureOf, signedText } from './explain-signature.ts';
export { sign, type SignedPiece, traceSignature } from './sign.ts';
export {
  DEFAULT_SIGNATURE_SETTINGS,
  SIGNATURE_VARIABLES,
  type SignatureSettings,
  type SignedParameters,
} from './signature-settings.ts';
export { type Mistake, type SignedRequest, usualMistakes } from './usual-mistakes.ts';
