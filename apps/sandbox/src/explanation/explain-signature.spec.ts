import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { readConventions } from '../clients/conventions.ts';
import { Environment } from '../settings/environment.ts';
import type { SignedContent } from '../signature/signature.ts';
import { OPERATIONS } from '../operations/operation.ts';
import { explainSignature } from './explain-signature.ts';

const SECRET = 'secret';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const session: SignedContent = {
  version: 'v2',
  parameters: { clientId: 'op1', userId: 'u 1', nick: 'Äce', lang: 'en', currency: 'USD' },
  body: Buffer.from('userId=u+1&nick=%C3%84ce&lang=en&currency=USD'),
};
const report: SignedContent = {
  version: 'v2',
  parameters: { clientId: 'op1', 'per-page': '20', page: '2', dateFrom: 'from', dateTo: 'to' },
  body: Buffer.from('dateFrom=from&dateTo=to'),
};
const launchOptions = { b: 'https://x', a: [true, null] };
const document = {
  data: {
    type: 'OpenGame',
    attributes: { session: { lang: 'en', launchOptions, active: false }, player: { id: 'u1', Nick: 'n' } },
  },
};
const game: SignedContent = {
  version: 'v3',
  parameters: { client: 'op1', ...document },
  body: Buffer.from(JSON.stringify(document)),
};

function explain(content: SignedContent, sent: string, settings: Record<string, string> = {}) {
  const conventions = readConventions(new Environment(settings), '');
  return explainSignature({
    sent,
    content,
    client: { id: 'op1', secretKey: SECRET, conventions, operations: new Set(OPERATIONS) },
    otherSecretKeys: new Map([['op2', 'another']]),
  });
}

describe('explanation of a wrong signature', () => {
  it('shows the string to be signed, and neither the secret key nor the right digest', () => {
    const explanation = explain(session, 'x');
    expect(explanation).toEqual({
      reason: 'The signature is not 64 lowercase hexadecimal digits.',
      canonical: 'USDenÄceu 1',
    });
    expect(JSON.stringify(explanation)).not.toContain(SECRET);
    const body = game.body.toString();
    expect(explain(game, 'x', { SIGNATURE_SCHEME_V3: 'raw-body' }).canonical).toBe(body);
  });

  const canonical = 'USDenÄceu 1';
  it.each([
    ['another client', sha256(`${canonical}another`), 'The secret key is that of the client op2.'],
    [
      'a secret with a line break',
      sha256(`${canonical}${SECRET}\n`),
      /^White space at the end of the secret key/,
    ],
    ['parameters as sent', sha256(`u 1ÄceenUSD${SECRET}`), /in the order of the request/],
    ['percent-encoded values', sha256(`USDen%C3%84ceu%201${SECRET}`), /URL-encoded \(percent-encoding\)/],
    ['form-encoded values', sha256(`USDen%C3%84ceu+1${SECRET}`), /URL-encoded \(form encoding\)/],
    ['clientId', sha256(`op1${canonical}${SECRET}`), 'clientId is signed; it takes no part.'],
    ['userId twice', sha256(`${canonical}u 1${SECRET}`), /^userId is signed twice/],
    ['userId nowhere', sha256(`USDenÄce${SECRET}`), /^userId is not signed/],
    ['pairs', sha256(`currency=USD&lang=en&nick=Äce&userId=u 1${SECRET}`), /name=value pairs/],
    ['names', sha256(`currencyUSDlangennickÄceuserIdu 1${SECRET}`), /^The names are signed/],
    ['commas', sha256(`USD,en,Äce,u 1${SECRET}`), /joined by ","/],
    ['capitals', sha256(canonical + SECRET).toUpperCase(), /in capitals/],
    [
      'Base64',
      createHash('sha256')
        .update(canonical + SECRET)
        .digest('base64'),
      /Base64/,
    ],
    ['the secret in front', sha256(SECRET + canonical), /prepended/],
    ['no secret', sha256(canonical), /secret key is missing/],
    ['an HMAC', createHmac('sha256', SECRET).update(canonical).digest('hex'), /HMAC/],
    [
      'MD5',
      createHash('md5')
        .update(canonical + SECRET)
        .digest('hex'),
      /MD5/,
    ],
    [
      'Latin-1',
      createHash('sha256')
        .update(canonical + SECRET, 'latin1')
        .digest('hex'),
      /Latin-1/,
    ],
    ['something else', sha256('something else'), /^No usual mistake gives this signature/],
  ])('finds %s in a session', (_, sent, reason) => {
    expect(explain(session, sent)).toEqual({ reason: expect.stringMatching(reason), canonical });
  });

  it.each([
    ['pagination', sha256(`fromto220${SECRET}`), 'per-page, page are signed; pagination takes no part.'],
    ['a page', sha256(`fromto2${SECRET}`), 'page is signed; it takes no part.'],
    ['all names', sha256(`op1fromto220${SECRET}`), 'Names that take no part are signed.'],
  ])('finds %s in a report', (_, sent, reason) => {
    expect(explain(report, sent).reason).toBe(reason);
  });

  // player before session; within them Nick, id and active, lang, launchOptions (a, b)
  const right = 'op1nu1en1https://xOpenGame';
  it.each([
    ['no client', right.slice(3), { SIGNATURE_OPEN_GAME_CLIENT: 'drop' }, /client is not signed/],
    [
      'JSON scalars',
      'op1nu1falseentruenullhttps://xOpenGame',
      { SIGNATURE_SCALARS: 'json' },
      /as true, false and null/,
    ],
    [
      'the body',
      JSON.stringify(document),
      { SIGNATURE_SCHEME_V3: 'raw-body' },
      /bytes of the body are signed/,
    ],
    [
      'no client and JSON scalars',
      'nu1falseentruenullhttps://xOpenGame',
      { SIGNATURE_OPEN_GAME_CLIENT: 'drop', SIGNATURE_SCALARS: 'json' },
      /true, false and null.*client is not signed/,
    ],
    [
      'JSON as one text',
      `op1${JSON.stringify(document.data)}`,
      undefined,
      /JSON of the body is signed as one text/,
    ],
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
    [
      'no launch option',
      'op1nu1en1OpenGame',
      undefined,
      /^data\.attributes\.session\.launchOptions\.b is not signed/,
    ],
    [
      'no type, and no client',
      'nu1en1https://x',
      { SIGNATURE_OPEN_GAME_CLIENT: 'drop' },
      /^data\.type is not signed/,
    ],
  ])('finds %s in open-game', (_, canonicalString, settings, reason) => {
    expect(explain(game, sha256(canonicalString + SECRET))).toEqual({
      reason: expect.stringMatching(reason),
      ...(settings && { settings }),
      canonical: right,
    });
  });

  it('finds that only the top level is sorted', () => {
    const content = { ...game, parameters: { ...document, client: 'op1' } };
    const { reason } = explain(content, sha256(`op1OpenGameenhttps://x1u1n${SECRET}`));
    expect(reason).toContain('Only the top level is sorted');
  });

  it('finds JSON strings that were left undecoded', () => {
    const nick = '{"b":"2","a":"1"}';
    const content = { ...session, parameters: { clientId: 'op1', userId: 'u1', nick } };
    expect(explain(content, sha256(`${nick}u1${SECRET}`))).toEqual({
      reason: expect.stringContaining('strings that hold JSON are left undecoded'),
      settings: { SIGNATURE_JSON_STRINGS: 'none' },
      canonical: '12u1',
    });
  });

  it('finds JSON whose content is signed at the top level, or in its place', () => {
    const content = {
      ...session,
      parameters: { clientId: 'op1', userId: 'u1', lang: 'en', nick: '{"z":"9","b":"2"}' },
    };
    expect(explain(content, sha256(`2enu19${SECRET}`))).toEqual({
      reason: expect.stringContaining('signed at the top level, not in the place of the string'),
      settings: { SIGNATURE_JSON_PLACEMENT: 'merge' },
      canonical: 'en29u1',
    });
    expect(explain(content, sha256(`en29u1${SECRET}`), { SIGNATURE_JSON_PLACEMENT: 'merge' })).toEqual({
      reason: expect.stringContaining('signed in the place of the string, not at the top level'),
      settings: { SIGNATURE_JSON_PLACEMENT: 'in-place' },
      canonical: '2enu19',
    });
  });

  it('finds names that are removed from nested objects, alone and with a mistake', () => {
    const data = { ...document.data, attributes: { ...document.data.attributes, locale: 'de', a: 'x/' } };
    const content = { ...game, parameters: { client: 'op1', data } };
    const shallow = 'op1x/denu1en1https://xOpenGame';
    const deep = shallow.replace('de', '');
    expect(explain(content, sha256(deep + SECRET))).toEqual({
      reason: expect.stringContaining('removed from nested objects, and not only at the top level'),
      settings: { SIGNATURE_EXCLUDE: 'deep' },
      canonical: shallow,
    });
    expect(explain(content, sha256(shallow + SECRET), { SIGNATURE_EXCLUDE: 'deep' })).toMatchObject({
      settings: { SIGNATURE_EXCLUDE: 'top' },
      canonical: deep,
    });
    const encoded = 'op1x%2Fnu1en1https%3A%2F%2FxOpenGame';
    expect(explain(content, sha256(encoded + SECRET))).toMatchObject({
      reason: expect.stringContaining('URL-encoded (percent-encoding)'),
      settings: { SIGNATURE_EXCLUDE: 'deep' },
    });
  });

  it('does not search long for a long request', () => {
    const wide = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`k${index}`, 'v']));
    const body = Buffer.from(JSON.stringify({ data: wide }));
    const used = process.threadCpuUsage();
    explain(
      { version: 'v3', parameters: { client: 'op1', data: wide }, body: body.subarray(0, 16_384) },
      'x',
    );
    // Of the processor, so that a busy machine changes nothing.
    expect(process.threadCpuUsage(used).user / 1_000).toBeLessThan(2_000);
    const large = { ...game, body: Buffer.alloc(20_000) };
    expect(explain(large, 'x').reason).toContain('too large');
  });
});
