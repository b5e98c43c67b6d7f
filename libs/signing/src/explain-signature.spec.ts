import { createHash, createHmac } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import { explainSignature } from './explain-signature.ts';
import { DEFAULT_SIGNATURE_SETTINGS, type SignatureSettings } from './signature-settings.ts';
import type { SignedRequest } from './usual-mistakes.ts';

const SECRET = 'secret';
const digest = (text: string, algorithm = 'sha256') => createHash(algorithm).update(text).digest('hex');

const SESSION: SignedRequest = {
  parameters: { clientId: 'op1', userId: 'u 1', nick: 'Äce', lang: 'en', currency: 'USD' },
};
const REPORT: SignedRequest = {
  parameters: { clientId: 'op1', 'per-page': '20', page: '2', dateFrom: 'from', dateTo: 'to' },
};
const launchOptions = { b: 'https://x', a: [true, null] };
const document = {
  data: {
    type: 'OpenGame',
    attributes: { session: { lang: 'en', launchOptions, active: false }, player: { id: 'u1', Nick: 'n' } },
  },
};
const GAME: SignedRequest = {
  parameters: { client: 'op1', ...document },
  body: JSON.stringify(document, null, 1),
};

function explain(request: SignedRequest, sent: string, settings: Partial<SignatureSettings> = {}) {
  return explainSignature({
    sent,
    request,
    settings: { ...DEFAULT_SIGNATURE_SETTINGS, ...settings },
    secretKey: SECRET,
    otherSecretKeys: new Map([['op2', 'another']]),
  });
}

describe('explanation of a wrong signature', () => {
  const canonical = 'USDenÄceu 1';
  it.each([
    ['another client', digest(`${canonical}another`), 'The secret key is that of the client op2.'],
    ['a line break', digest(`${canonical}${SECRET}\n`), /^White space at the end of the secret key/],
    ['white space around it', ` ${digest(canonical + SECRET)}\n`, /^White space stands around/],
    ['parameters as sent', digest(`u 1ÄceenUSD${SECRET}`), /in the order of the request/],
    ['percent-encoded values', digest(`USDen%C3%84ceu%201${SECRET}`), /URL-encoded \(percent-encoding\)/],
    ['form-encoded values', digest(`USDen%C3%84ceu+1${SECRET}`), /URL-encoded \(form encoding\)/],
    ['clientId', digest(`op1${canonical}${SECRET}`), 'clientId is signed; it takes no part.'],
    ['userId twice', digest(`${canonical}u 1${SECRET}`), /^userId is signed twice/],
    ['userId nowhere', digest(`USDenÄce${SECRET}`), /^userId is not signed/],
    ['pairs', digest(`currency=USD&lang=en&nick=Äce&userId=u 1${SECRET}`), /name=value pairs/],
    ['commas', digest(`USD,en,Äce,u 1${SECRET}`), /joined by ","/],
    ['capitals', digest(canonical + SECRET).toUpperCase(), /in capitals/],
    ['Base64', createHash('sha256').update(`${canonical}${SECRET}`).digest('base64'), /Base64/],
    ['the secret in front', digest(SECRET + canonical), /prepended/],
    ['an HMAC', createHmac('sha256', SECRET).update(canonical).digest('hex'), /HMAC/],
    ['Latin-1', createHash('sha256').update(`${canonical}${SECRET}`, 'latin1').digest('hex'), /Latin-1/],
    ['something else', digest('something else'), /^No usual mistake gives this signature/],
    ['no digest', 'x', 'The signature is not 64 lowercase hexadecimal digits.'],
    [
      'a query as PHP builds it',
      digest(`currency=USD&lang=en&nick=%C3%84ce&userId=u+1${SECRET}`),
      /URL-encoded \(form encoding\).* name=value pairs/,
    ],
    ['capitals and commas', digest(`USD,en,Äce,u 1${SECRET}`).toUpperCase(), /joined by ",".* in capitals/],
  ])('finds %s in a session', (_, sent, reason) => {
    expect(explain(SESSION, sent)).toEqual({ reason: expect.stringMatching(reason) });
  });

  it.each([
    ['pagination', digest(`fromto220${SECRET}`), 'per-page, page are signed; pagination takes no part.'],
    ['all names', digest(`op1fromto220${SECRET}`), 'Names that take no part are signed.'],
  ])('finds %s in a report', (_, sent, reason) => {
    expect(explain(REPORT, sent).reason).toBe(reason);
  });

  // The player comes before the session; within them Nick, id and active, lang, launchOptions (a, b).
  it.each([
    ['no client', 'nu1en1https://xOpenGame', { SIGNATURE_OPEN_GAME_CLIENT: 'drop' }, /client is not signed/],
    [
      'JSON scalars',
      'op1nu1falseentruenullhttps://xOpenGame',
      { SIGNATURE_SCALARS: 'json' },
      /as true, false and null/,
    ],
    ['the body', GAME.body, { SIGNATURE_SCHEME_V3: 'raw-body' }, /bytes of the body are signed/],
    [
      'no client and JSON scalars',
      'nu1falseentruenullhttps://xOpenGame',
      { SIGNATURE_OPEN_GAME_CLIENT: 'drop', SIGNATURE_SCALARS: 'json' },
      /true, false and null.*client is not signed/,
    ],
    ['JSON as one text', `op1${JSON.stringify(document.data)}`, undefined, /JSON of the body .* as one text/],
    [
      'JSON of PHP',
      `op1${JSON.stringify(document.data).replaceAll('/', '\\/')}`,
      undefined,
      /signed as one text/,
    ],
    [
      'launch options as text',
      `op1nu1en${JSON.stringify(launchOptions)}OpenGame`,
      undefined,
      /launchOptions are signed as JSON/,
    ],
    ['names without case', 'op1u1nen1https://xOpenGame', undefined, /without regard to case/],
    ['no type', 'op1nu1en1https://x', undefined, /^data\.type is not signed/],
    ['no launch option', 'op1nu1en1OpenGame', undefined, /^data\.attributes\.session\.launchOptions\.b is/],
    [
      'no type, and no client',
      'nu1en1https://x',
      { SIGNATURE_OPEN_GAME_CLIENT: 'drop' },
      /^data\.type is not signed/,
    ],
  ])('finds %s in open-game', (_, text, settings, reason) => {
    expect(explain(GAME, digest(`${text}${SECRET}`))).toEqual({
      reason: expect.stringMatching(reason),
      ...(settings && { settings }),
    });
  });

  it('finds that only the top level is sorted', () => {
    const request = { ...GAME, parameters: { ...document, client: 'op1' } };
    const { reason } = explain(request, digest(`op1OpenGameenhttps://x1u1n${SECRET}`));
    expect(reason).toContain('Only the top level is sorted');
  });

  it('finds a body that is written again, and a secret key in front of it', () => {
    const rewritten = digest(JSON.stringify(document) + SECRET);
    expect(explain(GAME, rewritten, { schemeV3: 'raw-body' }).reason).toMatch(/other white space/);
    expect(explain(GAME, digest(`${SECRET}${GAME.body}`), { schemeV3: 'raw-body' }).reason).toMatch(
      /prepended/,
    );
  });

  it.each<[string, string, Partial<SignatureSettings>, object, RegExp]>([
    ['left undecoded', '{"z":"9","b":"2"}u1', {}, { SIGNATURE_JSON_STRINGS: 'none' }, /left undecoded/],
    ['at the top level', '2u19', {}, { SIGNATURE_JSON_PLACEMENT: 'merge' }, /signed at the top level, not/],
    [
      'in its place',
      '29u1',
      { jsonPlacement: 'merge' },
      { SIGNATURE_JSON_PLACEMENT: 'in-place' },
      /in the place of the string, not/,
    ],
  ])('finds JSON %s', (_, text, own, settings, reason) => {
    const request = { parameters: { clientId: 'op1', userId: 'u1', nick: '{"z":"9","b":"2"}' } };
    expect(explain(request, digest(text + SECRET), own)).toEqual({
      reason: expect.stringMatching(reason),
      settings,
    });
  });

  it('finds names that are removed from nested objects, alone and with a mistake', () => {
    const parameters = { userId: 'u/1', nick: { locale: 'de', a: 'x' } };
    expect(explain({ parameters }, digest(`xu/1${SECRET}`))).toEqual({
      reason: expect.stringContaining('removed from nested objects, and not only at the top level'),
      settings: { SIGNATURE_EXCLUDE: 'deep' },
    });
    expect(explain({ parameters }, digest(`xu%2F1${SECRET}`))).toEqual({
      reason: expect.stringContaining('URL-encoded (percent-encoding)'),
      settings: { SIGNATURE_EXCLUDE: 'deep' },
    });
  });

  it('does not search long for a long request', () => {
    const wide = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`k${index}`, 'v']));
    const used = process.threadCpuUsage();
    explain({ parameters: { client: 'op1', data: wide }, body: JSON.stringify({ data: wide }) }, 'x');
    // Time of the processor, so that a busy machine changes nothing.
    expect(process.threadCpuUsage(used).user / 1_000).toBeLessThan(2_000);
  });
});
