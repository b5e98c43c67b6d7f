import { describe, expect, it } from '@jest/globals';
import { launchOptionTexts, restoreSessionUrl } from './launch-options.ts';

describe('launch options', () => {
  it.each([
    [{ theme: 'dark', sound: false, big: 12345678901234567890n, seats: [1, 2] }],
    ['{"theme":"dark","sound":false,"big":12345678901234567890,"seats":[1,2]}'],
  ])('are shown by name', (launchOptions) => {
    expect(launchOptionTexts(launchOptions)).toEqual([
      ['theme', 'dark'],
      ['sound', 'false'],
      ['big', '12345678901234567890'],
      ['seats', '[1,2]'],
    ]);
  });

  it.each([[undefined], [null], ['not JSON'], ['null']])('%j has none', (launchOptions) => {
    expect(launchOptionTexts(launchOptions)).toEqual([]);
    expect(restoreSessionUrl(launchOptions)).toBeUndefined();
  });

  it.each(['https://casino.example/login?a=1', 'http://localhost:8080/', 'HTTPS://casino.example'])(
    'lead back to %s',
    (url) => {
      expect(restoreSessionUrl({ restoreSessionUrl: url })?.href).toBe(new URL(url).href);
      expect(restoreSessionUrl(JSON.stringify({ restoreSessionUrl: url }))?.href).toBe(new URL(url).href);
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
  ])('do not lead back to %j', (url) => {
    expect(restoreSessionUrl({ restoreSessionUrl: url })).toBeUndefined();
  });
});
