import { describe, expect, it } from '@jest/globals';

import { DEFAULT_SIGNATURE_SETTINGS } from '#signing';

import { readHar, readRawRequest } from './read-http.ts';
import { rowOfRequest } from './read-input.ts';

const OWN = { secretKey: 'hush', settings: DEFAULT_SIGNATURE_SETTINGS };
const DOCUMENT = { data: { type: 'OpenGame', attributes: { player: { id: 'u-1' } } } };

it('parses a raw HTTP request, and reads its body up to content-length', () => {
  const lines = [
    'POST /v2/app/users/u%201/session?clientId=op1 HTTP/1.1',
    'Host: api.example',
    'Sign: ABC',
    'Content-Type: application/x-www-form-urlencoded',
    'Content-Length: 17',
    '',
    'userId=u+1&nick=A\n',
  ];
  expect(rowOfRequest(readRawRequest(lines.join('\r\n')), OWN)).toMatchObject({
    name: 'POST /v2/app/users/u%201/session',
    parameters: { clientId: 'op1', userId: 'u 1', nick: 'A' },
    expectedSign: 'ABC',
    notes: [],
  });
  expect(() => readRawRequest('Host: api.example\n\n')).toThrow(/does not start with a request line/);
});

describe('readHar', () => {
  const entry = (request: object) => ({ request: { method: 'POST', headers: [], ...request } });
  const archive = (...entries: object[]) => JSON.stringify({ log: { version: '1.2', entries } });

  it('reads the requests to the platform, with the body as text or as fields', () => {
    const requests = readHar(
      archive(
        entry({ method: 'GET', url: 'https://shop.example/' }),
        entry({
          url: 'https://api.example/apiweb/v3/open-game?client=op1',
          headers: [null, { name: 'Sign', value: 'ff' }],
          postData: { mimeType: 'application/vnd.api+json', text: JSON.stringify(DOCUMENT) },
        }),
        entry({
          url: 'https://api.example/v2/app/reports/ad_hoc?clientId=op1',
          postData: { params: [{ name: 'dateFrom', value: '2026-03-01 00:00:00' }] },
        }),
      ),
    );
    expect(requests.map((request) => rowOfRequest(request, OWN))).toMatchObject([
      { parameters: { client: 'op1', ...DOCUMENT }, expectedSign: 'ff', rawBody: JSON.stringify(DOCUMENT) },
      { parameters: { clientId: 'op1', dateFrom: '2026-03-01 00:00:00' }, expectedSign: undefined },
    ]);
  });

  it.each([
    ['{', /^error: the archive is not JSON \(line 1 column 2\)$/],
    ['null', /no log.entries/],
    [archive(entry({ url: 'https://shop.example/' })), /no request to the platform among 1/],
  ])('refuses %s', (text, reason) => {
    expect(() => readHar(text)).toThrow(reason);
  });
});

describe('rowOfRequest', () => {
  const session = { url: '/v2/app/users/u-1/session?clientId=op1', body: 'userId=u-2' };
  const game = { url: '/apiweb/v3/open-game?client=op1', body: JSON.stringify(DOCUMENT) };
  const rowOf = (request: { url: string; body: string }) =>
    rowOfRequest({ method: 'POST', headers: new Map(), ...request }, OWN);

  it('notes faults for which the platform rejects any signature', () => {
    expect(rowOf(session).notes).toEqual([
      'it has no header sign',
      expect.stringContaining('userId of its path'),
    ]);
    expect(rowOf(game).notes).toContain('its Content-Type is not application/vnd.api+json');
  });

  it('accepts an id in the path that is not percent-encoded', () => {
    const { notes } = rowOf({ url: '/v2/app/users/5%/session', body: 'userId=5%25' });
    expect(notes).toEqual(['it has no header sign']);
  });

  it('rejects a body that starts like JSON but is invalid', () => {
    expect(() => rowOf({ ...session, body: '{"a":' })).toThrow(/the body of the request is not JSON/);
  });
});
