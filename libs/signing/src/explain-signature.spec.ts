import { createHash, createHmac } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import { explainSignature } from './explain-signature.ts';
import type { SignedRequest } from './sign.ts';
import { DEFAULT_SIGNATURE_SETTINGS, type SignatureSettings } from './signature-settings.ts';

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

const REORDERED: SignedRequest = { ...GAME, parameters: { ...document, client: 'op1' } };
const JSON_NICK: SignedRequest = { parameters: { clientId: 'op1', userId: 'u1', nick: '{"z":"9","b":"2"}' } };
const NESTED: SignedRequest = { parameters: { userId: 'u/1', nick: { locale: 'de', a: 'x' } } };
const FLAGS: SignedRequest = {
  parameters: { player: { active: false, id: 'u1', verified: false }, session: { longLifeLoginToken: true } },
};
const RAW = { schemeV3: 'raw-body' } as const;
const DROPPED = { SIGNATURE_OPEN_GAME_CLIENT: 'drop' };
const DEEP = { SIGNATURE_EXCLUDE: 'deep' };

describe('explainSignature', () => {
  const canonical = 'USDenÄceu 1';
  it.each([
    ['another client', digest(`${canonical}another`), 'The secret key is that of the client op2.'],
    ['a line break', digest(`${canonical}${SECRET}\n`), 'White space at the end of the secret key'],
    ['white space around it', ` ${digest(canonical + SECRET)}\n`, 'White space stands around'],
    ['capitals', digest(canonical + SECRET).toUpperCase(), 'in capitals'],
    ['capitals and commas', digest(`USD,en,Äce,u 1${SECRET}`).toUpperCase(), 'joined by ",".* in capitals'],
    ['Base64', createHash('sha256').update(`${canonical}${SECRET}`).digest('base64'), 'Base64'],
    ['the secret in front', digest(SECRET + canonical), 'prepended'],
    ['an HMAC', createHmac('sha256', SECRET).update(canonical).digest('hex'), 'HMAC'],
    ['MD5', digest(canonical + SECRET, 'md5'), 'The digest is MD5'],
    ['Latin-1', createHash('sha256').update(`${canonical}${SECRET}`, 'latin1').digest('hex'), 'Latin-1'],
    ['something else', digest('something else'), '^No usual mistake gives this signature'],
    ['no digest', 'x', 'The signature is not 64 lowercase hexadecimal digits.'],
  ])('recognizes %s', (_, sent, reason) => {
    expect(explain(SESSION, sent)).toEqual({ reason: expect.stringMatching(reason) });
  });

  // In a game request, the player sorts before the session; their members sort as Nick, id and active, lang,
  // launchOptions (a, b).
  it.each<[string, SignedRequest, string, (object | undefined)?, Partial<SignatureSettings>?]>([
    ['u 1ÄceenUSD', SESSION, 'in the order of the request'],
    ['USDen%C3%84ceu%201', SESSION, 'URL-encoded \\(percent-encoding\\)'],
    ['USDen%C3%84ceu+1', SESSION, 'URL-encoded \\(form encoding\\)'],
    [`op1${canonical}`, SESSION, '^clientId is signed; it takes no part.$'],
    [`${canonical}u 1`, SESSION, '^userId is signed twice'],
    ['USDenÄce', SESSION, '^userId is not signed'],
    ['currency=USD&lang=en&nick=Äce&userId=u 1', SESSION, 'name=value pairs'],
    ['USD,en,Äce,u 1', SESSION, 'joined by ","'],
    ['currency=USD&lang=en&nick=%C3%84ce&userId=u+1', SESSION, '\\(form encoding\\).* name=value pairs'],
    ['fromto220', REPORT, '^per-page, page are signed; pagination takes no part.$'],
    ['op1fromto220', REPORT, '^Names that take no part are signed.$'],
    ['nu1en1https://xOpenGame', GAME, 'client is not signed', DROPPED],
    [
      'op1nu1falseentruenullhttps://xOpenGame',
      GAME,
      'as true, false and null',
      { SIGNATURE_SCALARS: 'json' },
    ],
    [GAME.body ?? '', GAME, 'bytes of the body are signed', { SIGNATURE_SCHEME_V3: 'raw-body' }],
    [
      'nu1falseentruenullhttps://xOpenGame',
      GAME,
      'true, false and null.*client is not signed',
      { ...DROPPED, SIGNATURE_SCALARS: 'json' },
    ],
    [`op1${JSON.stringify(document.data)}`, GAME, 'JSON of the body .* as one text'],
    [`op1${JSON.stringify(document.data).replaceAll('/', '\\/')}`, GAME, 'signed as one text'],
    [`op1nu1en${JSON.stringify(launchOptions)}OpenGame`, GAME, 'launchOptions are signed as JSON'],
    ['op1u1nen1https://xOpenGame', GAME, 'without regard to case'],
    ['op1nu1en1https://x', GAME, '^data.type is not signed'],
    ['op1nu1en1OpenGame', GAME, '^data.attributes.session.launchOptions.b is'],
    ['nu1en1https://x', GAME, '^data.type is not signed', DROPPED],
    ['op1OpenGameenhttps://x1u1n', REORDERED, 'Only the top level is sorted'],
    [JSON.stringify(document), GAME, 'other white space', undefined, RAW],
    ['{"z":"9","b":"2"}u1', JSON_NICK, 'left undecoded', { SIGNATURE_JSON_STRINGS: 'none' }],
    ['2u19', JSON_NICK, 'signed at the top level, not', { SIGNATURE_JSON_PLACEMENT: 'merge' }],
    [
      '29u1',
      JSON_NICK,
      'in the place of the string, not',
      { SIGNATURE_JSON_PLACEMENT: 'in-place' },
      { jsonPlacement: 'merge' },
    ],
    ['u1true', FLAGS, '^Parameters that are empty are left out', undefined, { scalars: 'json' }],
    ['falseu1true', FLAGS, '^player.verified is not signed', undefined, { scalars: 'json' }],
    ['xu/1', NESTED, 'removed from nested objects, and not only at the top level', DEEP],
    ['xu%2F1', NESTED, 'URL-encoded \\(percent-encoding\\)', DEEP],
  ])('explains the signature of %j', (...[text, request, reason, settings, own]) => {
    const found = { reason: expect.stringMatching(reason), ...(settings && { settings }) };
    expect(explain(request, digest(text + SECRET), own)).toEqual(found);
  });

  it('searches a request with 2000 parameters within two seconds', () => {
    const wide = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`k${index}`, 'v']));
    const used = process.threadCpuUsage();
    explain({ parameters: { client: 'op1', data: wide }, body: JSON.stringify({ data: wide }) }, 'x');
    // CPU time, so that a busy machine does not affect the result.
    expect(process.threadCpuUsage(used).user / 1_000).toBeLessThan(2_000);
  });
});
