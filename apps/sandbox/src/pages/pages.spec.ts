import { describe, expect, it } from '@jest/globals';
import { VariableReader } from '#settings';

import { readFaultRule } from '../control/faults.controller.ts';
import { type FaultKind, FAULTS, membersOf } from '../faults/faults.ts';
import { type Client, readConventions } from '../settings/clients.ts';
import type { Exchange } from '../traffic/exchange.ts';
import { describeRequest, type FinishedRequest } from '../traffic/traffic-log.ts';
import { html } from './page.ts';
import { clock, lobbyPage } from './lobby-page.ts';
import { signatureVerdict } from './request-list.ts';

describe('html', () => {
  it('keeps HTML unchanged, one or several pieces, and omits undefined', () => {
    const items = ['a', '<b>'].map((item) => html`<i>${item}</i>`);
    expect(html`${items}${html`<b>c</b>`}${undefined}${0}`.text).toBe('<i>a</i><i>&lt;b&gt;</i><b>c</b>0');
  });
});

describe('fault form', () => {
  it.each(Object.keys(FAULTS) as FaultKind[])(
    'the form switches %s on with the values that it shows',
    (kind) => {
      const shown = membersOf(kind).filter(([, member]) => member.shown);
      const given = shown.map(([name, member]) => [name, member.shown]);
      expect(readFaultRule({ kind, ...Object.fromEntries(given) }).fault.kind).toBe(kind);
    },
  );
});

describe('lobby page', () => {
  const SESSION = {
    sessionId: 's-1',
    auth: 'a-1',
    clientId: 'op1',
    userId: 'ada',
    authType: 'external',
    lang: 'en',
    createdAtMs: 0,
    authExpiresAtMs: 100,
    expiresAtMs: 1000,
  } as const;
  const visit = (nowMs: number, session: object = {}) => ({
    session: { ...SESSION, ...session },
    player: undefined,
    askedTable: undefined,
    nowMs,
  });

  it('counts no token longer than its session', () => {
    const page = lobbyPage(visit(400, { authExpiresAtMs: 5000 }));
    expect([...page.matchAll(/data-left-ms="(\d+)"/g)].map(([, ms]) => ms)).toEqual(['600', '600']);
  });

  it('shows launch options that are a string by name', () => {
    const launchOptions = '{"sound":false,"big":12345678901234567890,"seats":[1,2]}';
    const text = lobbyPage(visit(0, { launchOptions })).replaceAll(/<[^>]*>|\s+/g, ' ');
    expect(text.replaceAll(/\s+/g, ' ')).toContain(' sound false big 12345678901234567890 seats [1,2] ');
  });

  it.each(['https://casino.example/login?a=1', 'http://localhost:8080/', 'HTTPS://casino.example'])(
    'leads back to %s',
    (url) => {
      for (const launchOptions of [{ restoreSessionUrl: url }, JSON.stringify({ restoreSessionUrl: url })])
        expect(lobbyPage(visit(1000, { launchOptions }))).toContain(`href="${new URL(url).href}"`);
    },
  );

  it.each([
    'javascript:alert(1)',
    ' \tjava\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'file:///etc/passwd',
    '/login',
    '//casino.example',
    '',
    7,
    null,
  ])('does not lead back to %j', (restoreSessionUrl) => {
    const page = lobbyPage(visit(1000, { launchOptions: { restoreSessionUrl } }));
    expect(page).not.toContain('<a ');
  });

  it.each([
    [0, '0:00'],
    [1, '0:01'],
    [3_599_001, '1:00:00'],
    [3_725_000, '1:02:05'],
    [360_000_000, '100:00:00'],
  ])('the clock shows %d ms as %s', (ms, text) => {
    expect(clock(ms)).toBe(text);
  });
});

/** A request to the session endpoint that was answered. */
function finishedRequest(rest: Partial<Exchange>, url = '/users/u/session?clientId=op'): FinishedRequest {
  const exchange = {
    operation: 'session',
    receivedAtMs: 0,
    planned: {},
    body: Buffer.alloc(0),
    onProcessed: () => undefined,
    ...rest,
  } as const;
  const headers = { host: ['h'], sign: ['d1gest'] };
  return { method: 'POST', url, headers, exchange, status: 200, durationMs: 1 };
}

describe('description of a request', () => {
  it('redacts a signature and credentials wherever they are, and cuts a long body', () => {
    const planned = { latency: { kind: 'latency', fixedMs: 1, spreadMs: 0 } } as const;
    const body = Buffer.from(`userId=ada&sign=deadbeef&nick=${'x'.repeat(5000)}`);
    const description = describeRequest({
      ...finishedRequest({ planned, body }, '/api/web/v2/app/users/ada/session?clientId=op1&sign=deadbeef'),
      headers: { sign: ['deadbeef'], 'content-type': ['text/plain'], cookie: ['deadbeef'] },
    });
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
    expect(describeRequest(finishedRequest({ body: Buffer.from(body) })).body).toBe(expected);
  });
});

const CLIENT: Client = {
  id: 'op',
  secretKey: 'S3CRET',
  operations: new Set(),
  conventions: readConventions(new VariableReader({})),
};

const callOf = (client: Client, parameters: Record<string, string>) => {
  const signed = { version: 'v2', parameters, body: Buffer.alloc(0) } as const;
  return { client, query: {}, content: parameters, signed };
};

describe('the verdict on a signature', () => {
  it('shows the string of a right one, and no secret key', () => {
    const call = callOf(CLIENT, { userId: 'u', lang: 'de' });
    const verdict = signatureVerdict(finishedRequest({ call }));
    expect(verdict).toMatchObject({ state: 'right', canonical: 'deu' });
    expect(JSON.stringify(verdict)).not.toContain('S3CRET');
  });

  it('explains a wrong one, with the settings that would make it right', () => {
    const refusal = { reason: 'Why.', settings: { A: 'b' }, canonical: 'x'.repeat(5_000) };
    const verdict = signatureVerdict(finishedRequest({ refusal }));
    expect(verdict).toMatchObject({ state: 'wrong', reason: 'Why.', settings: { A: 'b' } });
    expect(verdict.canonical).toHaveLength(4_097);
  });

  it.each(['ad1gestb', 'amisplacedb', 'ainformb'])('redacts the signature in %s', (canonical) => {
    const url = '/users/u/session?clientId=op&sign=misplaced';
    const body = Buffer.from('userId=u&access-token=inform');
    const verdict = signatureVerdict(finishedRequest({ body, refusal: { reason: 'Why.', canonical } }, url));
    expect(verdict.canonical).toBe('a[redacted]b');
  });

  it('redacts nothing else', () => {
    const refusal = { reason: 'Why.', canonical: 'Host h Sign' };
    expect(signatureVerdict(finishedRequest({ refusal })).canonical).toBe('Host h Sign');
    const unsigned = { ...finishedRequest({ refusal }), headers: { host: ['h'] } };
    expect(signatureVerdict(unsigned).canonical).toBe('Host h Sign');
  });

  it('says that nothing was signed, or looked at', () => {
    const { secretKey: _, ...client } = CLIENT;
    expect(signatureVerdict(finishedRequest({ call: callOf(client, {}) })).state).toBe('unsigned');
    expect(signatureVerdict(finishedRequest({})).state).toBe('unseen');
  });
});
