import { describe, expect, it } from '@jest/globals';
import { VariableReader } from '#settings';

import { readFaultRule } from '../control/control.controller.ts';
import { type FaultKind, FAULTS, membersOf } from '../faults/faults.ts';
import { type Client, readConventions } from '../settings/clients.ts';
import type { Exchange } from '../traffic/exchange.ts';
import { describeRequest, type FinishedRequest } from '../traffic/traffic-log.ts';
import { clock, lobbyPage } from './lobby-page.ts';
import { signatureVerdict } from './request-list.ts';

it.each(Object.keys(FAULTS) as FaultKind[])(
  'the form switches %s on with the values that it shows',
  (kind) => {
    const shown = membersOf(kind).filter(([, member]) => member.shown);
    const given = shown.map(([name, member]) => [name, member.shown]);
    expect(readFaultRule({ kind, ...Object.fromEntries(given) }).fault.kind).toBe(kind);
  },
);

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

  it('counts no token longer than its session, and shows launch options that are a string by name', () => {
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

  it.each([
    ['ad1gestb', 'a[redacted]b'],
    ['amisplacedb', 'a[redacted]b'],
    ['ainformb', 'a[redacted]b'],
    ['Host h Sign', 'Host h Sign'],
    ['x'.repeat(5_000), `${'x'.repeat(4_096)}…`],
  ])('explains a wrong one of %s, without a signature', (canonical, shown) => {
    const refusal = { reason: 'Why.', settings: { A: 'b' }, canonical };
    const body = Buffer.from('userId=u&access-token=inform');
    const url = '/users/u/session?clientId=op&sign=misplaced';
    const verdict = { state: 'wrong', reason: 'Why.', settings: { A: 'b' }, canonical: shown };
    expect(signatureVerdict(finishedRequest({ body, refusal }, url))).toEqual(verdict);
  });

  it('says that nothing was signed, or looked at', () => {
    const { secretKey: _, ...client } = CLIENT;
    expect(signatureVerdict(finishedRequest({ call: callOf(client, {}) })).state).toBe('unsigned');
    expect(signatureVerdict(finishedRequest({})).state).toBe('unseen');
  });
});
