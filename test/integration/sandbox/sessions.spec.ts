import { setTimeout as wait } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { digest, type Received } from '../../support/sandbox-client.ts';
import { sharedSandbox } from './sandbox-under-test.ts';

const UUID = /^[0-9a-f-]{36}$/;
const AT_PLAYER = '/data/attributes/player';

function expectError({ status, json }: Received, expected: number, detail: string, pointer?: string): void {
  const title = expected === 404 ? 'Not Found' : 'Unprocessable Entity';
  const [error] = json.errors;
  expect([status, json.errors.length]).toEqual([expected, 1]);
  expect(error).toMatchObject({ status, title, detail });
  expect(error.source).toEqual(pointer && { pointer });
}

describe('session creation', () => {
  const sandbox = sharedSandbox();

  it('answers each call with a new session in the format of the interface', async () => {
    const { status, headers, json } = await sandbox.session('u/1 ä+♠', { nick: 'Ace ♠', lang: 'de' });
    expect([status, headers['content-type']]).toEqual([200, 'application/vnd.api+json']);
    const { id, type, attributes } = json.data;
    expect(type).toBe('session');
    expect(attributes).toEqual({
      'user-id': 'u/1 ä+♠',
      auth: id,
      'session-id': expect.stringMatching(UUID),
      'redirect-url': `${sandbox.url}/lobby?auth=${id}&lang=de`,
    });
    expect((await sandbox.session('u/1 ä+♠')).json.data.id).not.toBe(id);
  });

  it('refuses an unknown authType or language, and takes any currency', async () => {
    const auth = await sandbox.session('ada', { authType: 'browser' });
    expectError(auth, 422, 'Auth type not valid', '/data/attributes/authType');
    const lang = await sandbox.session('ada', { lang: 'eng' });
    expectError(lang, 422, 'Incorrect data', '/data/attributes/lang');
    expect((await sandbox.session('ada', { authType: 'internal', currency: 'XXX' })).status).toBe(200);
  });
});

describe('a sandbox whose players must exist, with a currency, at a public address', () => {
  const sandbox = sharedSandbox({
    SANDBOX_UNKNOWN_PLAYERS: 'refuse',
    SANDBOX_CURRENCY_MANDATORY: 'true',
    SANDBOX_PUBLIC_URL: 'https://play.example',
  });

  it('refuses a session for an unknown player, and opens one for a known player at its address', async () => {
    const EUR = { currency: 'EUR' };
    expectError(await sandbox.session('ada', EUR), 404, 'Player not found');
    expect((await sandbox.control('POST', 'players', { userId: 'ada' })).status).toBe(201);
    const { id, attributes } = (await sandbox.session('ada', EUR)).json.data;
    expect(attributes['redirect-url']).toBe(`https://play.example/lobby?auth=${id}&lang=en`);
  });

  it.each([
    [{}, 'Currency cannot be blank', 'currency'],
    [{ currency: 'XXX' }, 'Currency not found', 'currency'],
    [{ currency: 'BRL' }, 'This currency is not active', 'currency'],
    [{ currency: 'EUR', nick: 'x'.repeat(33) }, 'The maximum username length is 32', 'nick'],
    [{ currency: 'EUR', nick: 'bob' }, 'A Player with this username already exists in the system.', 'nick'],
  ])('refuses a session and a game of %j in the words of the interface', async (player, detail, member) => {
    await sandbox.control('POST', 'players', [{ userId: 'ada' }, { userId: 'bob', nick: 'Bob' }]);
    const session = await sandbox.session('ada', player);
    expectError(session, 422, detail, `/data/attributes/${member}`);
    const game = await sandbox.openGame({ player: { id: 'eve', ...player } });
    expectError(game, 422, detail, `${AT_PLAYER}/${member}`);
    expect((await sandbox.control('GET', 'players/eve')).status).toBe(404);
  });

  it('opens a game for an unknown player, and adds the player', async () => {
    expect((await sandbox.openGame({ player: { id: 'ada', currency: 'EUR' } })).status).toBe(200);
    expect((await sandbox.session('ada', { currency: 'EUR' })).status).toBe(200);
  });
});

describe('open-game', () => {
  const sandbox = sharedSandbox({
    SANDBOX_TOKEN_LIFETIME_MS: '1000',
    SANDBOX_PLAYER_COUNTRY_MEMBER: 'countryCode',
  });

  it('opens the lobby, with a generated session id', async () => {
    const { status, headers, json } = await sandbox.openGame({ player: { id: 'ada' } });
    expect([status, headers['content-type']]).toEqual([200, 'application/vnd.api+json']);
    const { auth, sessionId } = json.data.attributes;
    expect(json.data).toEqual({
      id: `/apiweb/v3/game-sessions/${sessionId}`,
      type: 'GameSession',
      attributes: { playerId: 'ada', sessionId, auth, url: `${sandbox.url}/lobby?auth=${auth}&lang=en` },
    });
    expect(sessionId).toMatch(UUID);
  });

  it('opens a table with launch options, given as an object or as a string', async () => {
    const options = { restoreSessionUrl: 'https://op.example/?a=1&b=ü' };
    const open = (launchOptions: unknown) => {
      const session = { id: 's-1', lang: 'de', tableId: 7, launchOptions };
      const canonical = `sandboxadas-1dehttps://op.example/?a=1&b=ü7OpenGame`;
      return sandbox.openGame({ session, player: { id: 'ada' } }, canonical);
    };
    const [first, second] = [await open(options), await open(JSON.stringify(options))];
    const url = new URL(first.json.data.attributes.url);
    expect(url.pathname).toBe('/table/7');
    expect(JSON.parse(url.searchParams.get('launchOptions') as string)).toEqual(options);
    expect(url.searchParams.get('lang')).toBe('de');
    expect(second.json).toEqual(first.json);
  });

  it('opens the same session again under its id, later with another token, and not for another player', async () => {
    const open = (id = 'ada') => sandbox.openGame({ session: { id: 's-1' }, player: { id } });
    const one = await open();
    expect((await open()).json).toEqual(one.json);
    const detail = "The session id is another player's";
    expectError(await open('bob'), 422, detail, '/data/attributes/session/id');
    expect((await sandbox.control('GET', 'players/bob')).status).toBe(404);
    await wait(1_010);
    const { sessionId, auth } = (await open()).json.data.attributes;
    expect(sessionId).toBe('s-1');
    expect(auth).not.toBe(one.json.data.attributes.auth);
  });

  it('keeps the data of the player', async () => {
    const profile = { countryCode: 'DE', active: true, avatar: 3 };
    const player = { id: 'ada', nick: 'Ace', currency: 'EUR', ...profile, tag: null };
    expect((await sandbox.openGame({ player }, 'sandbox13DEEURadaAceOpenGame')).status).toBe(200);
    const details = { nick: 'Ace', currency: 'EUR', country: 'DE', profile };
    expect(await sandbox.shown('players/ada')).toEqual({ clientId: 'sandbox', userId: 'ada', ...details });
  });

  it.each([
    [{ player: {} }, '/player/id'],
    [{ session: {} }, '/player'],
    [{ player: { id: 5 } }, '/player/id'],
    [{ player: { id: 'ada', avatar: '3' } }, '/player/avatar'],
    [{ player: { id: 'ada', countryCode: 49 } }, '/player/countryCode'],
    [{ player: { id: 'ada' }, session: { tableId: 1.5 } }, '/session/tableId'],
    [{ player: { id: 'ada' }, session: { authType: 'browser' } }, '/session/authType', 'Auth type not valid'],
    [{ player: { id: 'ada' }, session: { launchOptions: [1] } }, '/session/launchOptions'],
    [{ player: { id: 'ada' }, session: { launchOptions: 'x' } }, '/session/launchOptions'],
  ])('refuses %j', async (attributes, path, detail = 'Incorrect data') => {
    expectError(await sandbox.openGame(attributes), 422, detail, `/data/attributes${path}`);
  });

  it.each([
    [415, '{}', 'application/json'],
    [400, '{"data":'],
    [400, '[]'],
    [400, '['.repeat(100_000)],
    [413, 'x'.repeat(1_100_000)],
    [422, '{}'],
  ])('answers %d to another body', async (status, body, contentType = 'application/vnd.api+json') => {
    const headers = { 'content-type': contentType, sign: digest('sandbox') };
    const request = { method: 'POST', path: '/apiweb/v3/open-game?client=sandbox', headers, body };
    expect((await sandbox.send(request)).status).toBe(status);
  });
});
