import { describe, expect, it } from '@jest/globals';
import { clock, lobbyPage, stateOf } from './lobby-page.ts';

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

describe('the page of a session', () => {
  it.each([
    [99, 'open'],
    [100, 'token-expired'],
    [999, 'token-expired'],
    [1000, 'session-expired'],
  ])('is at %d ms %s', (nowMs, state) => {
    expect(stateOf(visit(nowMs))).toBe(state);
  });

  it('counts no token longer than its session', () => {
    const page = lobbyPage(visit(400, { authExpiresAtMs: 5000 }));
    expect([...page.matchAll(/data-left-ms="(\d+)"/g)].map(([, ms]) => ms)).toEqual(['600', '600']);
  });

  it.each([
    [{ theme: 'dark', sound: false, big: 12345678901234567890n, seats: [1, 2] }],
    ['{"theme":"dark","sound":false,"big":12345678901234567890,"seats":[1,2]}'],
  ])('shows launch options by name', (launchOptions) => {
    const text = lobbyPage(visit(0, { launchOptions })).replaceAll(/<[^>]*>|\s+/g, ' ');
    const [, options = ''] = text.split('Launch options');
    expect(options.replaceAll(/\s+/g, ' ')).toMatch(
      / theme dark sound false big 12345678901234567890 seats \[1,2\] /,
    );
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
