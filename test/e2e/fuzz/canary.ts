import fc from 'fast-check';

export const SECRET_CANARY = 'canary-of-the-secret-key';
/** Canaries in tokens and URLs of the platform. */
export const TOKEN_CANARY = 'canary-of-the-token';

/** A personal value that no other text contains by chance, with any characters that a player may use. */
export const canary: fc.Arbitrary<string> = fc
  .tuple(
    fc.nat(9999),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom('', '"', '&<', ' +', '%2F', '/', "'"),
  )
  .map(([number, text, syntax]) => `cañary${number}${syntax}${text.replace(/\p{Cc}/gu, '')}`);

/** Encodings that a platform may apply to a text before it repeats the text. */
export const WAYS_TO_ECHO: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'in capitals': (text) => text.toUpperCase(),
  'in small letters': (text) => text.toLowerCase(),
  'percent-encoded': encodeURIComponent,
  'as JSON': (text) => JSON.stringify(text),
  'as HTML': (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
  'where it is cut': (text) => `${'.'.repeat(290)}${text}`,
};

const TRACES: Readonly<Record<string, RegExp>> = {
  'a value of the command': /ca(ñ|%c3%b1|\\u00f1|&ntilde;)ary\d/i,
  'a secret or a token': /canary-of/i,
  'a signature': /[0-9a-f]{64}/i,
};

/** Returns the canaries in a text, each with its surroundings. */
export function canariesIn(text: string): string[] {
  return Object.entries(TRACES).flatMap(([what, trace]) => {
    const at = text.search(trace);
    return at < 0 ? [] : [`${what}: …${text.slice(Math.max(0, at - 200), at + 120)}…`];
  });
}

export function valuesIn(body: string): string[] {
  if (!body.startsWith('{')) return [...new URLSearchParams(body).values()];
  const found: string[] = [];
  JSON.parse(body, (_name, value) => {
    if (typeof value === 'string') found.push(value);
    return value;
  });
  return found;
}
