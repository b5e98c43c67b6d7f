import { hash } from 'node:crypto';

import { canonicalize, traceSignature } from './sign.ts';
import { SIGNATURE_VARIABLES, type SignatureSettings, type SignatureVariable } from './signature-settings.ts';
import { type Mistake, omissions, pathsOf, type SignedRequest, usualMistakes } from './usual-mistakes.ts';

const VARIABLES = Object.entries(SIGNATURE_VARIABLES) as [
  SignatureVariable,
  { readonly member: keyof SignatureSettings; readonly values: Readonly<Record<string, string>> },
][];

/** The variables whose values differ from those of other settings. */
function differences(settings: SignatureSettings, own: SignatureSettings) {
  return VARIABLES.filter(([, { member }]) => settings[member] !== own[member]);
}

/** What other settings do, in a sentence. */
function differenceOf(settings: SignatureSettings, own: SignatureSettings): string {
  const texts = differences(settings, own).map(([, { member, values }]) => values[settings[member]]);
  return `Other settings than this client has here: ${texts.join('; ')}.`;
}

/** All other settings; those with the fewest differences come first, so that the simplest explanation is found. */
function otherSettings(own: SignatureSettings): readonly SignatureSettings[] {
  const all = VARIABLES.reduce<readonly SignatureSettings[]>(
    (found, [, { member, values }]) =>
      found.flatMap((each) => Object.keys(values).map((value) => ({ ...each, [member]: value }))),
    [own],
  );
  const distance = (settings: SignatureSettings): number => differences(settings, own).length;
  return all.toSorted((one, other) => distance(one) - distance(other)).slice(1);
}

/** Beyond it, a request is searched for single mistakes alone, so that an answer takes no longer than a second. */
const MAX_PATHS = 100;

/** What is wrong with a signature. */
export interface Explanation {
  readonly reason: string;
  /** The settings with which the signature would be right, or would hold that mistake alone. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A signature that is not the right one. */
export interface WrongSignature {
  readonly sent: string;
  readonly request: SignedRequest;
  readonly settings: SignatureSettings;
  readonly secretKey: string;
  /** Secret keys of other clients, by their ids. */
  readonly otherSecretKeys?: ReadonlyMap<string, string>;
}

/** Finds which usual mistake, or which two, which other settings, or settings and a mistake, give a signature. */
export function explainSignature(wrong: WrongSignature): Explanation {
  const { request, settings: own, secretKey, otherSecretKeys = new Map<string, string>() } = wrong;
  const sent = wrong.sent.trim();
  const gives = (settings: SignatureSettings, mistake?: Mistake, key = secretKey): boolean =>
    signatureOf(signedText(request, settings, mistake), key, mistake) === sent;
  if (gives(own)) return { reason: 'White space stands around the signature; it must be sent alone.' };

  const others = distinct(request, own);
  const settings = others.find((each) => gives(each));
  if (settings) return explanation(differenceOf(settings, own), settings, own);

  const isSmall = pathsOf(request.parameters).length <= MAX_PATHS;
  const usual = usualMistakes(request);
  const mistakes = isSmall ? [...usual, ...omissions(request.parameters)] : usual;
  for (const each of [own, ...others]) {
    for (const [id, key] of otherSecretKeys) {
      if (gives(each, undefined, key))
        return explanation(`The secret key is that of the client ${id}.`, each, own);
    }
    const mistake = mistakes.find((one) => gives(each, one));
    if (mistake) return explanation(mistake.reason, each, own);
  }
  const two = isSmall ? pairsOf(usual).find((pair) => gives(own, pair)) : undefined;
  if (two) return { reason: two.reason };
  return {
    reason: /^[0-9a-f]{64}$/.test(sent)
      ? 'No usual mistake gives this signature: either the secret key or a value differs from what was sent.'
      : 'The signature is not 64 lowercase hexadecimal digits.',
  };
}

/** What is signed, before the secret key is appended; with a mistake, what is signed instead. */
export function signedText(
  { parameters, body }: SignedRequest,
  settings: SignatureSettings,
  mistake?: Mistake,
): string {
  if (!mistake) return canonicalize(parameters, settings, body);
  if (body !== undefined && settings.schemeV3 === 'raw-body') return mistake.body?.(body) ?? body;
  const { pieces } = traceSignature(mistake.parameters ?? parameters, settings, mistake);
  const { text: write = (text: string) => text, piece = (text: string) => text, separator = '' } = mistake;
  return pieces.map(({ text, path }) => piece(write(text), path)).join(separator);
}

/** The signature of a text; with a mistake, the one that is sent instead. */
export function signatureOf(text: string, secretKey: string, mistake?: Mistake): string {
  return mistake?.seal?.(text, secretKey) ?? hash('sha256', text + secretKey);
}

/** The settings with which another text is signed, each text once. */
function distinct(request: SignedRequest, own: SignatureSettings): readonly SignatureSettings[] {
  const seen = new Set([signedText(request, own)]);
  return otherSettings(own).filter((settings) => {
    const text = signedText(request, settings);
    return !seen.has(text) && seen.add(text);
  });
}

/** Two mistakes at once, if they are made at different steps. */
function pairsOf(mistakes: readonly Mistake[]): readonly Mistake[] {
  return mistakes.flatMap((one, index) =>
    mistakes.slice(index + 1).flatMap((other) => {
      const isApart = Object.keys(one).every((step) => step === 'reason' || !Object.hasOwn(other, step));
      return isApart ? [{ ...one, ...other, reason: `${one.reason} ${other.reason}` }] : [];
    }),
  );
}

function explanation(reason: string, settings: SignatureSettings, own: SignatureSettings): Explanation {
  const differing = differences(settings, own).map(([variable, { member }]): [string, string] => [
    variable,
    settings[member],
  ]);
  return differing.length > 0 ? { reason, settings: Object.fromEntries<string>(differing) } : { reason };
}
