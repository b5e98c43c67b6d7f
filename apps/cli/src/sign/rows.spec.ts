import { describe, expect, it } from '@jest/globals';

import { DEFAULT_SIGNATURE_SETTINGS } from '#signing';

import { readHar, readRawRequest } from './read-http.ts';
import { rowOfRequest } from './rows.ts';

const OWN = { secretKey: 'hush', settings: DEFAULT_SIGNATURE_SETTINGS };
const SESSION = [
  'POST /v2/app/users/u%201/session?clientId=op1 HTTP/1.1',
  'Host: api.example',
  'Sign: ABC',
  'Content-Type: application/x-www-form-urlencoded',
  'Content-Length: 17',
  '',
  'userId=u+1&nick=A\n',
].join('\r\n');
const DOCUMENT = { data: { type: 'OpenGame', attributes: { player: { id: 'u-1' } } } };

describe('readRawRequest', () => {
  it('reads what is on the wire, and no more of the body than its length', () => {
    const request = readRawRequest(SESSION);
    expect(request).toMatchObject({ method: 'POST', body: 'userId=u+1&nick=A' });
    expect(rowOfRequest(request, OWN)).toMatchObject({
      name: 'POST /v2/app/users/u%201/session',
      parameters: { clientId: 'op1', userId: 'u 1', nick: 'A' },
      expectedSign: 'ABC',
      notes: [],
    });
  });

  it('refuses what does not begin with a request line', () => {
    expect(() => readRawRequest('Host: api.example\n\n')).toThrow(/does not begin with a request line/);
  });
});

describe('readHar', () => {
  const entry = (request: object) => ({ request: { method: 'POST', headers: [], ...request } });
  const archive = (...entries: object[]) => JSON.stringify({ log: { version: '1.2', entries } });

  it('takes the requests to the platform, as texts or as fields', () => {
    const requests = readHar(
      archive(
        entry({ method: 'GET', url: 'https://shop.example/' }),
        entry({
          url: 'https://api.example/apiweb/v3/open-game?client=op1',
          headers: [{ name: 'Sign', value: 'ff' }],
          postData: { mimeType: 'application/vnd.api+json', text: JSON.stringify(DOCUMENT) },
        }),
        entry({
          url: 'https://api.example/v2/app/reports/ad_hoc?clientId=op1',
          postData: { params: [{ name: 'dateFrom', value: '2026-03-01 00:00:00' }] },
        }),
      ),
    );
    const rows = requests.map((request) => rowOfRequest(request, OWN));
    expect(rows).toMatchObject([
      { parameters: { client: 'op1', ...DOCUMENT }, expectedSign: 'ff', rawBody: JSON.stringify(DOCUMENT) },
      { parameters: { clientId: 'op1', dateFrom: '2026-03-01 00:00:00' }, expectedSign: undefined },
    ]);
  });

  it.each([
    ['{', /^is not JSON/],
    ['{}', /no log.entries/],
    ['null', /no log.entries/],
    [archive(entry({ url: 'https://shop.example/' })), /no request to the platform among 1/],
  ])('refuses %s', (text, reason) => {
    expect(() => readHar(text)).toThrow(reason);
  });
});

describe('rowOfRequest', () => {
  const request = {
    method: 'POST',
    url: '/v2/app/users/u-1/session?clientId=op1',
    headers: new Map(),
    body: 'userId=u-2',
  };

  it('notes what the platform refuses whatever the signature is', () => {
    expect(rowOfRequest(request, OWN).notes).toEqual([
      'it has no header sign',
      expect.stringContaining('userId of its path'),
    ]);
    const json = { ...request, url: '/apiweb/v3/open-game?client=op1', body: JSON.stringify(DOCUMENT) };
    expect(rowOfRequest(json, OWN).notes).toContain('its Content-Type is not application/vnd.api+json');
  });

  it('refuses a body that begins as JSON and is none', () => {
    expect(() => rowOfRequest({ ...request, body: '{"a":' }, OWN)).toThrow(/has a body that is not JSON/);
  });
});
