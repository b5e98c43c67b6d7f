import type { Conventions } from '../clients/client.ts';
import { canonicalString } from '../signature/canonical-string.ts';
import type { SignedContent } from '../signature/signature.ts';

/** The conventions under which a request has another canonical string than under the client's own, each string once. */
export function otherConventions(content: SignedContent, own: Conventions): readonly Conventions[] {
  const seen = new Set([signedText(content, own)]);
  return variants(own).filter((conventions) => {
    const text = signedText(content, conventions);
    return !seen.has(text) && seen.add(text);
  });
}

/** The settings in which conventions differ from a client's own, under the names of its variables. */
export function differingSettings(conventions: Conventions, own: Conventions): Record<string, string> {
  const named = (of: Conventions) => ({
    SIGNATURE_SCALARS: of.scalars,
    SIGNATURE_OPEN_GAME_CLIENT: of.openGameClient,
    SIGNATURE_JSON_STRINGS: of.jsonStrings,
    SIGNATURE_JSON_PLACEMENT: of.jsonPlacement,
    SIGNATURE_EXCLUDE: of.exclude,
    SIGNATURE_SCHEME_V3: of.schemeV3,
  });
  const ours: Record<string, string> = named(own);
  return Object.fromEntries(
    Object.entries(named(conventions)).filter(([name, value]) => ours[name] !== value),
  );
}

const DIFFERENCES: Readonly<Record<string, string>> = {
  'SIGNATURE_SCALARS=php': 'booleans and null are written as 1 and empty texts, not as true, false and null',
  'SIGNATURE_SCALARS=json': 'booleans and null are written as true, false and null, not as 1 and empty texts',
  'SIGNATURE_OPEN_GAME_CLIENT=keep': 'the query parameter client is signed, and must not be',
  'SIGNATURE_OPEN_GAME_CLIENT=drop': 'the query parameter client is not signed, and must be',
  'SIGNATURE_JSON_STRINGS=containers':
    'only strings that hold an object or a list are decoded before signing',
  'SIGNATURE_JSON_STRINGS=all': 'every string that holds JSON is decoded before signing',
  'SIGNATURE_JSON_STRINGS=none': 'strings that hold JSON are left undecoded',
  'SIGNATURE_JSON_PLACEMENT=in-place':
    'what a string of JSON holds is signed in the place of the string, not at the top level',
  'SIGNATURE_JSON_PLACEMENT=merge':
    'what a string of JSON holds is signed at the top level, not in the place of the string',
  'SIGNATURE_EXCLUDE=top':
    'names that take no part are removed at the top level, and not from nested objects',
  'SIGNATURE_EXCLUDE=deep':
    'names that take no part are removed from nested objects, and not only at the top level',
  'SIGNATURE_SCHEME_V3=parameters': 'the parameters are signed, not the bytes of the body',
  'SIGNATURE_SCHEME_V3=raw-body': 'the bytes of the body are signed, not the parameters',
};

/** How a signature that follows other conventions differs, in a sentence. */
export function differenceOf(conventions: Conventions, own: Conventions): string {
  const differences = Object.entries(differingSettings(conventions, own)).map(
    ([name, value]) => DIFFERENCES[`${name}=${value}`] ?? name,
  );
  return `Other settings than this client has here: ${differences.join('; ')}.`;
}

const VALUES = {
  schemeV3: ['parameters', 'raw-body'],
  openGameClient: ['keep', 'drop'],
  exclude: ['top', 'deep'],
  jsonPlacement: ['in-place', 'merge'],
  scalars: ['php', 'json'],
  jsonStrings: ['containers', 'none', 'all'],
} as const satisfies { readonly [Member in keyof Conventions]?: readonly Conventions[Member][] };

// those with the fewest differences come first, so that the simplest explanation is found
function variants(own: Conventions): readonly Conventions[] {
  const all = Object.entries(VALUES).reduce<readonly Conventions[]>(
    (found, [member, values]) =>
      found.flatMap((each) => values.map((value) => ({ ...each, [member]: value }))),
    [own],
  );
  const distance = (conventions: Conventions) => Object.keys(differingSettings(conventions, own)).length;
  return all.toSorted((left, right) => distance(left) - distance(right));
}

function signedText({ version, parameters, body }: SignedContent, conventions: Conventions): string {
  const isRaw = version === 'v3' && conventions.schemeV3 === 'raw-body';
  return isRaw ? `raw ${body.toString()}` : canonicalString(parameters, conventions);
}
