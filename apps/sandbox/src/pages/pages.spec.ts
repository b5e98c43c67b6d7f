import { describe, expect, it } from '@jest/globals';

import { readFaultRule } from '../control/control.controller.ts';
import { FAULTS } from '../faults/faults.ts';
import type { Exchange } from '../traffic/exchange.ts';
import { describeRequest, shownAnswer, TrafficLog } from '../traffic/traffic-log.ts';
import { clock, lobbyPage } from './lobby-page.ts';
import { curlLine, requestList, shownCanonical } from './request-list.ts';

it.each(Object.entries(FAULTS))('the form switches %s on with its displayed values', (kind, { members }) => {
  const given = Object.entries(members).flatMap(([name, { shown }]) => (shown ? [[name, shown]] : []));
  expect(readFaultRule({ kind, ...Object.fromEntries(given) }).fault.kind).toBe(kind);
});

describe('the lobby page', () => {
  const pageOf = (nowMs: number, launchOptions?: unknown) =>
    lobbyPage({
      session: {
        sessionId: 's-1',
        auth: 'a-1',
        clientId: 'op1',
        userId: 'ada',
        authType: 'external',
        lang: 'en',
        launchOptions,
        createdAtMs: 0,
        authExpiresAtMs: 5_000,
        expiresAtMs: 1_000,
      },
      player: undefined,
      askedTable: undefined,
      nowMs,
    }).body;

  it('limits the lifetime of a token to that of its session, and lists launch options from a string by name', () => {
    const page = pageOf(400, '{"sound":false,"big":12345678901234567890,"seats":[1,2]}');
    expect([...page.matchAll(/data-left-ms="(\d+)"/g)].map(([, ms]) => ms)).toEqual(['600', '600']);
    const text = page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(text).toContain(' sound false big 12345678901234567890 seats [1,2] ');
  });

  it.each([
    ['https://casino.example/login?a=1', 'https://casino.example/login?a=1'],
    ['HTTP://localhost:8080', 'http://localhost:8080/'],
    ['javascript:alert(1)', undefined],
    [' \tjava\nscript:alert(1)', undefined],
    ['data:text/html,<script>alert(1)</script>', undefined],
    ['/login', undefined],
    ['//casino.example', undefined],
    [7, undefined],
  ])('leads from %j back to %s', (restoreSessionUrl, href) => {
    const options = { restoreSessionUrl };
    for (const page of [pageOf(1_000, options), pageOf(1_000, JSON.stringify(options))])
      expect(/<a [^>]*href="([^"]*)"/.exec(page)?.[1]).toBe(href);
  });

  it.each([
    [1, '0:01'],
    [3_599_001, '1:00:00'],
    [3_725_000, '1:02:05'],
  ])('shows %d ms as %s', (ms, text) => expect(clock(ms)).toBe(text));
});

function exchangeOf(rest: Partial<Exchange>): Exchange {
  const headersDistinct = { host: ['h'], sign: ['d1gest'] };
  const request = { method: 'POST', originalUrl: '/users/u/session?clientId=op', headersDistinct };
  const planned = { kinds: [], delayMs: 0, fault: undefined };
  return { ...new TrafficLog().begin(request as never, 'session', planned), ...rest };
}

describe('the line for curl', () => {
  it('computes the signature from the canonical string and the secret key, without containing the key', () => {
    const exchange = exchangeOf({
      headers: { 'content-type': ['application/x-www-form-urlencoded'], sign: ['d1gest'] },
      body: Buffer.from('userId=u&nick=O%27Neil'),
      verdict: { state: 'signature right', reason: '', canonical: "O'Neilu" },
    });
    expect(curlLine(exchange, 'http://sandbox')).toBe(
      String.raw`sign=$(printf %s 'O'\''Neilu'"$SANDBOX_SECRET_KEY" | sha256sum | cut -d' ' -f1); ` +
        "curl -X POST 'http://sandbox/users/u/session?clientId=op' " +
        `-H 'content-type: application/x-www-form-urlencoded' -H "sign: $sign" ` +
        "--data-raw 'userId=u&nick=O%27Neil'",
    );
  });

  it('omits an absent body and absent headers', () => {
    expect(curlLine(exchangeOf({ headers: {} }), '')).toBe("curl -X POST '/users/u/session?clientId=op'");
  });
});

describe('the log of requests', () => {
  const planned = { kinds: [], delayMs: 0, fault: undefined };

  it('keeps refused requests after a hundred successful ones', () => {
    const log = new TrafficLog();
    for (let nth = 0; nth < 200; nth++) {
      const request = { method: 'POST', originalUrl: `/${nth}`, headersDistinct: {} };
      log.end({ ...log.begin(request as never, 'session', planned), status: nth < 40 ? 400 : 200 });
    }
    expect(log.newest().map(({ url }) => url)).toContain('/199');
    expect(log.newest()).toHaveLength(100);
    expect(log.newestFailed().map(({ url }) => url)).toEqual(
      Array.from({ length: 30 }, (_, nth) => `/${39 - nth}`),
    );
  });

  it('shows the beginning of an answer with the token redacted', () => {
    const answer = `{"data":{"id":"t0k3n","attributes":{"redirect-url":"http://s/lobby?auth=t0k3n","auth":"t0k3n"}}}`;
    expect(shownAnswer(answer)).not.toContain('t0k3n');
    expect(shownAnswer(answer)).toContain('auth=[redacted]');
    expect(shownAnswer('x'.repeat(5_000))).toHaveLength(4_096);
  });
});

describe('description of a request', () => {
  it('redacts signatures and credentials everywhere, and truncates a long body', () => {
    const description = describeRequest(
      exchangeOf({
        url: '/api/web/v2/app/users/ada/session?clientId=op1&sign=deadbeef',
        headers: { sign: ['deadbeef'], 'content-type': ['text/plain'], cookie: ['deadbeef'] },
        body: Buffer.from(`userId=ada&sign=deadbeef&nick=${'x'.repeat(5000)}`),
      }),
    );
    expect(JSON.stringify(description)).not.toContain('deadbeef');
    expect(description.headers).toMatchObject({ sign: '[redacted]', cookie: '[redacted]' });
    expect(description.body.length).toBeLessThan(4200);
  });

  it.each([
    ['{"sign":"deadbeef","data":{}}', '{"sign":"[redacted]","data":{}}'],
    [
      '{"data":{"attributes":{"Access-Token" : "dead\\"beef"}}}',
      '{"data":{"attributes":{"Access-Token" : "[redacted]"}}}',
    ],
    ['{"sign":1234,"a":"sign"}', '{"sign":"[redacted]","a":"sign"}'],
    ['{"a":1,"sign":"deadb', '{"a":1,"sign":"[redacted]"'],
    ['{"design":"blue","sign":null}', '{"design":"blue","sign":"[redacted]"}'],
  ])('redacts a signature in JSON: %s', (body, expected) => {
    expect(describeRequest(exchangeOf({ body: Buffer.from(body) })).body).toBe(expected);
  });

  it.each([
    ['ad1gestb', 'a[redacted]b'],
    ['amisplacedb', 'a[redacted]b'],
    ['ainformb', 'a[redacted]b'],
    ['Host h Sign', 'Host h Sign'],
    ['x'.repeat(5_000), `${'x'.repeat(4_096)}…`],
  ])('shows the string to be signed, %s, without a signature', (canonical, shown) => {
    const body = Buffer.from('userId=u&access-token=inform');
    const exchange = exchangeOf({ body, url: '/users/u/session?clientId=op&sign=misplaced' });
    expect(shownCanonical(exchange, canonical)).toBe(shown);
  });

  it.each([
    [{ state: 'signature right', canonical: 'a<b' }, 'Why. To be signed, before the secret key: a&#60;b'],
    [{ state: 'signature wrong', settings: { A: 'b' } }, 'Why. It would be right with A=b'],
    [{ state: 'not signed' }, 'Why.'],
    [undefined, 'The request was answered before its signature was looked at.'],
  ] as const)('says what was made of a signature: %j', (verdict, text) => {
    const page = requestList(
      [exchangeOf(verdict ? { verdict: { reason: 'Why.', ...verdict } } : {})],
      '',
    ).text;
    const shown = page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(shown).toContain(` cut off session ${verdict?.state ?? 'not looked at'} `);
    expect(shown).toContain(` Signature ${text} Request `);
  });
});
