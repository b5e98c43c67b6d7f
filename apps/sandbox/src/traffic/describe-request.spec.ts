import { describe, expect, it } from '@jest/globals';

import { finishedRequest } from './finished-request.fixture.ts';
import { describeRequest } from './traffic-log.ts';

describe('description of a request', () => {
  it('redacts a signature and credentials wherever they are, and cuts a long body', () => {
    const planned = { latency: { kind: 'latency', fixedMs: 1, spreadMs: 0 } } as const;
    const body = Buffer.from(`userId=ada&sign=deadbeef&nick=${'x'.repeat(5000)}`);
    const description = describeRequest({
      ...finishedRequest({ planned, body }, '/api/web/v2/app/users/ada/session?clientId=op1&sign=deadbeef'),
      rawHeaders: ['Sign', 'deadbeef', 'Content-Type', 'text/plain', 'Cookie', 'deadbeef'],
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
