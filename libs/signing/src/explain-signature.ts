import { type Mistake, signatureOf, type SignedRequest, signedText } from './sign.ts';
import {
  EVERY_SIGNATURE_SETTING,
  SIGNATURE_VARIABLES,
  type SignatureSettings,
} from './signature-settings.ts';
import { membersOf, omissions, usualMistakes } from './usual-mistakes.ts';

/**
 * Requests with more parameters are searched for single mistakes only, so that the search takes at most one
 * second.
 */
const MAX_PARAMETERS = 100;

/** A wrong signature and the request it was sent with. */
export interface WrongSignature {
  readonly sent: string;
  readonly request: SignedRequest;
  readonly settings: SignatureSettings;
  readonly secretKey: string;
  /** Secret keys of other clients, by client id. */
  readonly otherSecretKeys?: ReadonlyMap<string, string>;
}

/** A possible explanation: a mistake, other settings, another secret key, or a combination. */
type WrongWay = Mistake & Partial<Pick<WrongSignature, 'settings' | 'secretKey'>>;

/**
 * Explains a wrong signature by one or two common mistakes, by other settings, or by other settings and one
 * mistake.
 *
 * @returns `settings`: the variables whose change would make the signature correct, or would leave only that
 *   mistake
 */
export function explainSignature(wrong: WrongSignature) {
  const { request, settings: own } = wrong;
  const sent = wrong.sent.trim();
  const way = wrongWays(wrong).find(({ settings = own, secretKey = wrong.secretKey, ...mistake }) => {
    return signatureOf(signedText(request, settings, mistake), secretKey, mistake) === sent;
  });
  const unknown = /^[0-9a-f]{64}$/.test(sent)
    ? 'No usual mistake gives this signature: either the secret key or a value differs from what was sent.'
    : 'The signature is not 64 lowercase hexadecimal digits.';
  const { reason = unknown, settings = own } = way ?? ({} as Partial<WrongWay>);
  const changed = differences(settings, own).map(({ variable, value }) => [variable, value] as const);
  return { reason, ...(changed.length > 0 && { settings: Object.fromEntries<string>(changed) }) };
}

/** Yields possible explanations, the simplest first. */
function* wrongWays({ request, settings: own, otherSecretKeys }: WrongSignature): Generator<WrongWay> {
  yield { reason: 'White space stands around the signature; it must be sent alone.' };
  const others = otherSettings(request, own);
  for (const settings of others) {
    const effects = differences(settings, own).map(({ effect }) => effect);
    yield { reason: `Other settings than this client has here: ${effects.join('; ')}.`, settings };
  }
  const { parameters } = request;
  const isSmall = membersOf(parameters).length <= MAX_PARAMETERS;
  const usual = usualMistakes(request);
  const mistakes = isSmall ? [...usual, ...omissions(parameters)] : usual;
  for (const settings of [own, ...others]) {
    for (const [id, secretKey] of otherSecretKeys ?? []) {
      yield { reason: `The secret key is that of the client ${id}.`, settings, secretKey };
    }
    for (const mistake of mistakes) yield { ...mistake, settings };
  }
  if (isSmall) yield* pairsOf(usual);
}

/**
 * Returns the settings that produce a different canonical string, one per string, starting with the fewest
 * differences.
 */
function otherSettings(request: SignedRequest, own: SignatureSettings): readonly SignatureSettings[] {
  const distance = (settings: SignatureSettings): number => differences(settings, own).length;
  const texts = new Set<string>();
  return EVERY_SIGNATURE_SETTING.toSorted((one, other) => distance(one) - distance(other))
    .filter((settings) => {
      const text = signedText(request, settings);
      return !texts.has(text) && texts.add(text);
    })
    .slice(1);
}

/**
 * Returns the variables whose values differ between two settings, each with its value and the effect of that
 * value.
 */
function differences(settings: SignatureSettings, own: SignatureSettings) {
  return Object.entries(SIGNATURE_VARIABLES).flatMap(([variable, { member, values }]) => {
    const value = settings[member];
    const effects: Readonly<Record<string, string>> = values;
    return value === own[member] ? [] : [{ variable, value, effect: effects[value] }];
  });
}

/** Returns all pairs of mistakes that affect different steps. */
function pairsOf(mistakes: readonly Mistake[]): readonly Mistake[] {
  return mistakes.flatMap((one, index) =>
    mistakes.slice(index + 1).flatMap((other) => {
      const isApart = Object.keys(one).every((step) => step === 'reason' || !Object.hasOwn(other, step));
      return isApart ? [{ ...one, ...other, reason: `${one.reason} ${other.reason}` }] : [];
    }),
  );
}
