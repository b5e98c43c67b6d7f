import { createHash, createHmac } from 'node:crypto';
import { exactJson } from '../json-api/exact-json.ts';
import { byBytes, EXCLUDED_NAMES } from '../signature/canonical-string.ts';
import type { SignedContent } from '../signature/signature.ts';
import type { Deviation } from './deviation.ts';
import { omissions } from './omissions.ts';

const PAGINATION = ['per-page', 'page', 'sort'];

/** The usual mistakes, the most frequent first. */
export function deviationsOf(content: SignedContent): readonly Deviation[] {
  return [
    ...WRONG_ORDER,
    ...WRONG_VALUES,
    ...wrongSelection(content),
    ...WRONG_JOINTS,
    ...WRONG_SEALS,
    ...omissions(content.parameters),
  ];
}

const asSent = (names: readonly string[]) => names;
const sorted = (names: readonly string[]) => [...names].sort(byBytes);
const caseless = (names: readonly string[]) =>
  [...names].sort((left, right) => left.toLowerCase().localeCompare(right.toLowerCase()));

const WRONG_ORDER: readonly Deviation[] = [
  {
    reason: 'The parameters are signed in the order of the request; they must be sorted by name.',
    order: asSent,
  },
  {
    reason: 'Only the top level is sorted by name; nested objects must be sorted too.',
    order: (names, depth) => (depth === 0 ? sorted(names) : names),
  },
  { reason: 'Names are sorted without regard to case; capitals come before small letters.', order: caseless },
];

const encodeForm = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
const json = (value: unknown) => exactJson(value);
// as PHP's json_encode writes by default
const phpJson = (value: unknown) =>
  exactJson(value)
    .replaceAll('/', '\\/')
    .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const WRONG_VALUES: readonly Deviation[] = [
  {
    reason: 'The values are URL-encoded (percent-encoding); they are signed decoded.',
    text: encodeURIComponent,
  },
  { reason: 'The values are URL-encoded (form encoding); they are signed decoded.', text: encodeForm },
  ...[json, phpJson].flatMap((write) => [
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
  {
    reason: 'The text is not signed as UTF-8 but as Latin-1.',
    seal: (canonical, secretKey) =>
      createHash('sha256')
        .update(canonical + secretKey, 'latin1')
        .digest('hex'),
  },
];

function wrongSelection({ version, parameters }: SignedContent): Deviation[] {
  const sentExcluded = Object.keys(parameters).filter((name) => EXCLUDED_NAMES.has(name));
  const pages = sentExcluded.filter((name) => PAGINATION.includes(name));
  const isSession = version === 'v2' && 'userId' in parameters && !('dateFrom' in parameters);
  return [
    ...(pages.length > 1
      ? [{ reason: `${pages.join(', ')} are signed; pagination takes no part.`, included: pages }]
      : []),
    ...sentExcluded.map((name) => ({ reason: `${name} is signed; it takes no part.`, included: [name] })),
    ...(sentExcluded.length > 1
      ? [{ reason: 'Names that take no part are signed.', included: sentExcluded }]
      : []),
    ...(isSession
      ? [
          {
            reason: 'userId is signed twice, from the path and from the form; it counts once.',
            piece: (name: string, written: string) => (name === 'userId' ? written + written : written),
          },
        ]
      : []),
  ];
}

const WRONG_JOINTS: readonly Deviation[] = [
  {
    reason: 'The parameters are signed as name=value pairs; their values alone are signed.',
    piece: (name, written) => `${name}=${written}`,
    separator: '&',
  },
  {
    reason: 'The names are signed with the values; the values alone are signed.',
    piece: (name, written) => name + written,
  },
  ...['&', ',', ';', '|', ':', '.', ' ', '\n'].map((separator) => ({
    reason: `The values are joined by ${JSON.stringify(separator)}; they must be joined without a separator.`,
    separator,
  })),
];

const sha256 = (text: string) => createHash('sha256').update(text);

const WRONG_SEALS: readonly Deviation[] = [
  {
    reason: 'The digest is written in capitals; it must be lowercase hexadecimal.',
    seal: (canonical, secretKey) =>
      sha256(canonical + secretKey)
        .digest('hex')
        .toUpperCase(),
  },
  {
    reason: 'The digest is written in Base64; it must be lowercase hexadecimal.',
    seal: (canonical, secretKey) => sha256(canonical + secretKey).digest('base64'),
  },
  {
    reason: 'The secret key is prepended; it must be appended.',
    seal: (canonical, secretKey) => sha256(secretKey + canonical).digest('hex'),
  },
  {
    reason: 'The secret key is missing; it must be appended.',
    seal: (canonical) => sha256(canonical).digest('hex'),
  },
  {
    reason: 'A line break follows the string; the secret key must come last.',
    seal: (canonical, secretKey) => sha256(`${canonical}${secretKey}\n`).digest('hex'),
  },
  {
    reason: 'The signature is an HMAC; it must be the SHA-256 of the string and the secret key.',
    seal: (canonical, secretKey) => createHmac('sha256', secretKey).update(canonical).digest('hex'),
  },
  ...['md5', 'sha1', 'sha512'].map((algorithm) => ({
    reason: `The digest is ${algorithm.toUpperCase()}; it must be SHA-256.`,
    seal: (canonical: string, secretKey: string) =>
      createHash(algorithm)
        .update(canonical + secretKey)
        .digest('hex'),
  })),
];
