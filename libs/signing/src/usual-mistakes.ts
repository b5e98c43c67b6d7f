import { createHmac, hash } from 'node:crypto';

import { exactJson } from './exact-json.ts';
import type { SignedParameters } from './signature-settings.ts';
import { EXCLUDED_NAMES, type Mistake, PAGINATION, type SignedRequest, sortedNames } from './sign.ts';

/** Returns the common mistakes that are possible with a request, the most frequent first. */
export function usualMistakes(request: SignedRequest): readonly Mistake[] {
  return [...WRONG_ORDER, ...WRONG_VALUES, ...wrongSelection(request), ...WRONG_JOINTS, ...WRONG_SEALS];
}

const WRONG_ORDER: readonly Mistake[] = [
  {
    reason: 'The parameters are signed in the order of the request; they must be sorted by name.',
    order: Object.keys,
  },
  {
    reason: 'Only the top level is sorted by name; nested objects must be sorted too.',
    order: (members, depth) => (depth === 0 ? sortedNames(members) : Object.keys(members)),
  },
  {
    reason: 'Names are sorted without regard to case; capitals come before small letters.',
    order: (members) =>
      Object.keys(members).sort((one, other) => one.toLowerCase().localeCompare(other.toLowerCase())),
  },
];
/** Serializes a value as PHP's `json_encode` does by default. */
const phpJson = (value: unknown): string =>
  exactJson(value)
    .replaceAll('/', '\\/')
    .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const WRONG_VALUES: readonly Mistake[] = [
  {
    reason: 'The values are URL-encoded (percent-encoding); they are signed decoded.',
    text: (text) => encodeURIComponent(text.toWellFormed()),
  },
  {
    reason: 'The values are URL-encoded (form encoding); they are signed decoded.',
    text: (text) => new URLSearchParams({ '': text }).toString().slice(1),
  },
  ...[(value: unknown) => exactJson(value), phpJson].flatMap((write) => [
    {
      reason: 'The JSON of the body is signed as one text; it must be decoded, and its members signed.',
      nested: { fromDepth: 1, write },
    },
    {
      reason:
        'Nested objects such as launchOptions are signed as JSON text; they must be decoded, and their members signed.',
      nested: { fromDepth: 4, write },
    },
  ]),
  ...[2, 0].map((indent) => ({
    reason: 'The body is written again with other white space; its bytes are signed as they are sent.',
    body: (body: string) => JSON.stringify(JSON.parse(body), null, indent),
  })),
];

const USER_TWICE: Mistake = {
  reason: 'userId is signed twice, from the path and from the form; it counts once.',
  piece: (text, [name]) => (name === 'userId' ? text + text : text),
};

function wrongSelection({ parameters, body }: SignedRequest): readonly Mistake[] {
  const sent = Object.keys(parameters).filter((name) => EXCLUDED_NAMES.has(name));
  const pages = sent.filter((name) => PAGINATION.includes(name));
  const several = (reason: string, included: readonly string[]): Mistake[] =>
    included.length > 1 ? [{ reason, included }] : [];
  const isSession = body === undefined && 'userId' in parameters && !('dateFrom' in parameters);
  return [
    ...several(`${pages.join(', ')} are signed; pagination takes no part.`, pages),
    ...sent.map((name) => ({ reason: `${name} is signed; it takes no part.`, included: [name] })),
    ...several('Names that take no part are signed.', sent),
    ...(isSession ? [USER_TWICE] : []),
  ];
}

const WRONG_JOINTS: readonly Mistake[] = [
  {
    reason: 'The parameters are signed as name=value pairs; their values alone are signed.',
    piece: (text, path) => `${path.at(-1)}=${text}`,
    separator: '&',
  },
  {
    reason: 'The names are signed with the values; the values alone are signed.',
    piece: (text, path) => `${path.at(-1)}${text}`,
  },
  ...['&', ',', ';', '|', ':', '.', ' ', '\n'].map((separator) => ({
    reason: `The values are joined by ${JSON.stringify(separator)}; they must be joined without a separator.`,
    separator,
  })),
];

const sha256 = (text: string | Buffer): string => hash('sha256', text);
const WRONG_SEALS: readonly Mistake[] = [
  {
    reason: 'The text is not signed as UTF-8 but as Latin-1.',
    seal: (text, key) => sha256(Buffer.from(text + key, 'latin1')),
  },
  {
    reason: 'The digest is written in capitals; it must be lowercase hexadecimal.',
    seal: (text, key) => sha256(text + key).toUpperCase(),
  },
  {
    reason: 'The digest is written in Base64; it must be lowercase hexadecimal.',
    seal: (text, key) => hash('sha256', text + key, 'base64'),
  },
  { reason: 'The secret key is prepended; it must be appended.', seal: (text, key) => sha256(key + text) },
  { reason: 'The secret key is missing; it must be appended.', seal: sha256 },
  {
    reason: 'The signature is an HMAC; it must be the SHA-256 of the string and the secret key.',
    seal: (text, key) => createHmac('sha256', key).update(text).digest('hex'),
  },
  ...['md5', 'sha1', 'sha512'].map((algorithm) => ({
    reason: `The digest is ${algorithm.toUpperCase()}; it must be SHA-256.`,
    seal: (text: string, key: string) => hash(algorithm, text + key),
  })),
  ...[(key: string) => key.trim(), (key: string) => `${key}\n`, (key: string) => `${key}\r\n`].map(
    (alter) => ({
      reason: 'White space at the end of the secret key is missing or too much.',
      seal: (text: string, key: string) => sha256(text + alter(key)),
    }),
  ),
];

/**
 * Returns one mistake per parameter, at any depth, that omits it; and one that omits all empty parameters.
 */
export function omissions(parameters: SignedParameters): Mistake[] {
  const members = membersOf(parameters);
  const empty = members.filter(({ value }) => value === '' || value === null || value === false);
  const each = members.map(({ path }) => ({
    reason: `${path.join('.')} is not signed, or was added after signing; every parameter takes part.`,
    parameters: without(parameters, path),
  }));
  const rest = empty.reduce((left, { path }) => without(left, path), parameters);
  return [...each, { reason: 'Parameters that are empty are left out; they take part.', parameters: rest }];
}

/** Returns each parameter, at any depth; a list counts as one parameter. */
export function membersOf(
  members: SignedParameters,
  at: readonly string[] = [],
): { readonly path: readonly string[]; readonly value: unknown }[] {
  return Object.entries(members).flatMap(([name, value]) => {
    const path = [...at, name];
    return [{ path, value }, ...(isMembers(value) ? membersOf(value, path) : [])];
  });
}

function without(members: SignedParameters, [name = '', ...rest]: readonly string[]): SignedParameters {
  const { [name]: value, ...others } = members;
  // Keeps the position of a nested object, which matters for mistakes that do not sort.
  return rest.length > 0 && isMembers(value) ? { ...members, [name]: without(value, rest) } : others;
}

function isMembers(value: unknown): value is SignedParameters {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
