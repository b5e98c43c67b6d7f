import { createHash } from 'node:crypto';

import { beforeEach, describe, expect, it } from '@jest/globals';

import type { PlatformSettings } from '#platform';

import { buildClient, callWithin, SECRET, startPlatform } from './client.fixture.ts';
import { GAME, SESSION } from './documents.ts';
import { answers, type LocalPlatform } from './local-platform.ts';

const LAUNCH_OPTIONS = { locale: 'de', theme: { page: '1', name: 'dark' } };

let platform: LocalPlatform;

beforeEach(async () => {
  platform = await startPlatform();
});

const digest = (canonical: string) =>
  createHash('sha256')
    .update(canonical + SECRET)
    .digest('hex');
const clientWith = (settings: Partial<PlatformSettings>) => buildClient(platform.origin, { settings }).client;

describe('a request', () => {
  it.each([
    ['top', 'op1u-1dedark1OpenGame'],
    ['deep', 'op1u-1darkOpenGame'],
  ] as const)(
    'with excluded names in its launch options is signed as SIGNATURE_EXCLUDE=%s says',
    async (exclude, canonical) => {
      platform.always(answers(200, GAME));
      const session = { launchOptions: LAUNCH_OPTIONS };
      await clientWith({ exclude }).openGame({ player: { id: 'u-1' }, session }, callWithin());
      const [{ headers, body } = {}] = platform.received;
      expect(headers?.['sign']).toBe(digest(canonical));
      expect(JSON.parse(body!).data.attributes.session).toEqual(session);
    },
  );

  it.each([
    ['in-place', 'en29u-1'],
    ['merge', '2enu-19'],
  ] as const)(
    'with a string of JSON is signed as SIGNATURE_JSON_PLACEMENT=%s says',
    async (jsonPlacement, canonical) => {
      platform.always(answers(200, SESSION));
      const nick = '{"z":"9","b":"2"}';
      await clientWith({ jsonPlacement }).createSession({ userId: 'u-1', nick, lang: 'en' }, callWithin());
      const [{ headers, body } = {}] = platform.received;
      expect(headers?.['sign']).toBe(digest(canonical));
      expect(new URLSearchParams(body).get('nick')).toBe(nick);
    },
  );
});
