export { exactJson, parseExactJson, RAW_JSON } from './exact-json.ts';
export { explainSignature } from './explain-signature.ts';
export { type Mistake, sign, signatureOf, type SignedPiece, signedText, traceSignature } from './sign.ts';
export {
  DEFAULT_SIGNATURE_SETTINGS,
  EVERY_SIGNATURE_SETTING,
  SIGNATURE_VARIABLES,
  type SignatureSettings,
  type SignedParameters,
} from './signature-settings.ts';
export { usualMistakes } from './usual-mistakes.ts';
