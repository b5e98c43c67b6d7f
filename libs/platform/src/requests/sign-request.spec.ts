import { describe, expect, it } from '@jest/globals';

import { DEFAULT_SIGNATURE_SETTINGS, sign, signRawBody } from '#signing';

import { DEFAULT_PLATFORM_SETTINGS, type OperatorCredentials } from '../platform-settings.ts';
import { gameRequest } from './game-request.ts';
import { sessionRequest } from './session-request.ts';
import { signRequest } from './sign-request.ts';

const credentials: OperatorCredentials = {
  name: 'default',
  baseUrl: 'http://127.0.0.1',
  apiUrl: 'http://127.0.0.1',
  clientId: 'op1',
  secretKey: 'secret',
  settings: DEFAULT_PLATFORM_SETTINGS,
};
const rawBody: OperatorCredentials = {
  ...credentials,
  settings: { ...credentials.settings, schemeV3: 'raw-body' },
};

describe('signRequest', () => {
  it('signs the parameters; the user once, although it is sent twice', () => {
    const request = sessionRequest({ userId: 'u-1' }, 'op1');
    expect(signRequest(request, credentials)).toBe(
      sign({ userId: 'u-1' }, 'secret', DEFAULT_SIGNATURE_SETTINGS),
    );
  });

  it('signs only the body of open-game by the raw-body scheme', () => {
    const game = gameRequest({ player: { id: 'u-1' } }, 'op1', 'country');
    expect(signRequest(game, rawBody)).toBe(signRawBody(game.body!.text, 'secret'));
    const session = sessionRequest({ userId: 'u-1' }, 'op1');
    expect(signRequest(session, rawBody)).toBe(signRequest(session, credentials));
  });

  it('signs nothing without a secret key', () => {
    const game = gameRequest({ player: { id: 'u-1' } }, 'op1', 'country');
    expect(signRequest(game, { ...credentials, secretKey: undefined })).toBeUndefined();
  });
});
