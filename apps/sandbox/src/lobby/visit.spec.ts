import { describe, expect, it } from '@jest/globals';
import { visitOf } from './visit.ts';

describe('a visit', () => {
  const session = {
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
  const guest = { session, player: undefined };

  it.each([
    [99, { state: 'open', guest, sessionLeftMs: 901, tokenLeftMs: 1 }],
    [100, { state: 'token-expired', guest, sessionLeftMs: 900 }],
    [999, { state: 'token-expired', guest, sessionLeftMs: 1 }],
    [1000, { state: 'session-expired', guest }],
  ])('at %d ms is %j', (nowMs, visit) => {
    expect(visitOf(session, undefined, nowMs)).toEqual(visit);
  });

  it('without a session leads to nothing', () => {
    expect(visitOf(undefined, undefined, 0)).toEqual({ state: 'unknown' });
  });

  it('ends with its session, however long its token would live', () => {
    const long = { ...session, authExpiresAtMs: 5000 };
    expect(visitOf(long, undefined, 400)).toMatchObject({ sessionLeftMs: 600, tokenLeftMs: 600 });
  });
});
