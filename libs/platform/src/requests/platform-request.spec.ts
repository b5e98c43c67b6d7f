import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { DEFAULT_SIGNATURE_SETTINGS, sign, signRawBody } from '#signing';

import { DEFAULT_PLATFORM_SETTINGS } from '../platform-settings.ts';
import { encodeFields, signRequest } from './platform-request.ts';
import { gameRequest, sessionRequest } from './requests.ts';

const credentials = { clientId: 'op1', secretKey: 'secret', settings: DEFAULT_PLATFORM_SETTINGS };
const rawBody = { ...credentials, settings: { ...DEFAULT_PLATFORM_SETTINGS, schemeV3: 'raw-body' } as const };

describe('encodeFields', () => {
  it('encodes spaces and pluses so that every decoder reads them alike, and leaves out what is absent', () => {
    const fields = { a: 'x + y', 'per-page': '1', absent: undefined, b: '%2B&=', empty: '' };
    expect(encodeFields(fields)).toBe('a=x%20%2B%20y&per-page=1&b=%252B%26%3D&empty=');
  });

  it('is decoded by URLSearchParams to what was encoded', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(fc.dictionary(text, text), (fields) => {
        expect([...new URLSearchParams(encodeFields(fields))]).toEqual(Object.entries(fields));
      }),
    );
  });
});

describe('signRequest', () => {
  const session = sessionRequest({ userId: 'u-1' }, credentials);
  const game = gameRequest({ player: { id: 'u-1' } }, credentials);

  it('signs the parameters; the user once, although it is sent twice', () => {
    expect(signRequest(session, credentials)).toBe(
      sign({ userId: 'u-1' }, 'secret', DEFAULT_SIGNATURE_SETTINGS),
    );
  });

  it('signs only the body of open-game by the raw-body scheme', () => {
    expect(signRequest(game, rawBody)).toBe(signRawBody(game.body!.text, 'secret'));
    expect(signRequest(session, rawBody)).toBe(signRequest(session, credentials));
  });
});
