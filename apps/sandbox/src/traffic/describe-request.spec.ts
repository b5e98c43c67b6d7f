import { describe, expect, it } from '@jest/globals';
import { describeRequest } from './traffic-log.ts';

const bodyOf = (body: string): string =>
  describeRequest({
    method: 'POST',
    url: '/apiweb/v3/open-game',
    rawHeaders: [],
    exchange: {
      operation: 'open-game',
      receivedAtMs: 0,
      planned: {},
      body: Buffer.from(body),
      onProcessed: () => undefined,
    },
    status: 400,
    durationMs: 1,
  }).body;

describe('description of a request', () => {
  const description = describeRequest({
    method: 'POST',
    url: '/api/web/v2/app/users/ada/session?clientId=op1&sign=deadbeef',
    rawHeaders: [
      'Sign',
      'deadbeef',
      'Content-Type',
      'application/x-www-form-urlencoded',
      'Cookie',
      'deadbeef',
    ],
    exchange: {
      operation: 'session',
      receivedAtMs: 0,
      planned: { latency: { kind: 'latency', fixedMs: 1, spreadMs: 0 } },
      body: Buffer.from(`userId=ada&sign=deadbeef&nick=${'x'.repeat(5000)}`),
      onProcessed: () => undefined,
    },
    status: 200,
    durationMs: 1.26,
  });

  it('redacts a signature and credentials wherever they are', () => {
    expect(JSON.stringify(description)).not.toContain('deadbeef');
    expect(description.headers).toMatchObject({ sign: '[redacted]', cookie: '[redacted]' });
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
    expect(bodyOf(body)).toBe(expected);
  });

  it('cuts a long body', () => {
    expect(description.body.length).toBeLessThan(4200);
  });
});
