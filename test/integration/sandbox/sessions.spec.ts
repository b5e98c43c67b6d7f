import { describe, expect, it } from '@jest/globals';

import { digest, startSandboxUnderTest } from './sandbox-under-test.ts';

const errors = (status: number, detail: string, attribute?: string) => ({
  errors: [
    {
      status,
      title: status === 404 ? 'Not Found' : 'Unprocessable Entity',
      detail,
      ...(attribute && { source: { pointer: `/data/attributes/${attribute}` } }),
    },
  ],
});

describe('session creation', () => {
  it('answers with a session of the interface', async () => {
    await using sandbox = await startSandboxUnderTest();
    const { status, headers, json } = await sandbox.session('u/1 ä+♠', { nick: 'Ace ♠', lang: 'de' });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/vnd.api+json');
    const { id, type, attributes } = json.data;
    expect(type).toBe('session');
    expect(attributes).toEqual({
      'user-id': 'u/1 ä+♠',
      auth: id,
      'session-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'redirect-url': `${sandbox.url}/lobby?auth=${id}&lang=de`,
    });
  });

  it('creates a session at each call, in English if no language is named', async () => {
    await using sandbox = await startSandboxUnderTest({ SANDBOX_PUBLIC_URL: 'https://play.example' });
    const [one, two] = [await sandbox.session('ada'), await sandbox.session('ada')];
    expect(one.json.data.id).not.toBe(two.json.data.id);
    expect(one.json.data.attributes['redirect-url']).toBe(
      `https://play.example/lobby?auth=${one.json.data.id}&lang=en`,
    );
  });

  it('keeps nicknames unique, ignoring case, and within their length', async () => {
    await using sandbox = await startSandboxUnderTest({ SANDBOX_NICKNAME_MAX_LENGTH: '4' });
    expect((await sandbox.session('ada', { nick: 'Ace' })).status).toBe(200);
    expect((await sandbox.session('ada', { nick: 'ACE' })).status).toBe(200);
    const taken = await sandbox.session('bob', { nick: 'ace' });
    expect(taken.status).toBe(422);
    expect(taken.json).toEqual(
      errors(422, 'A Player with this username already exists in the system.', 'nick'),
    );
    const long = await sandbox.session('bob', { nick: 'aces!' });
    expect(long.json).toEqual(errors(422, 'The maximum username length is 4', 'nick'));
    // refused requests have no effect
    expect((await sandbox.control('GET', 'players/bob')).status).toBe(404);
  });

  it('refuses an unknown authType or language', async () => {
    await using sandbox = await startSandboxUnderTest();
    const refused = await sandbox.session('ada', { authType: 'browser' });
    expect([refused.status, refused.json]).toEqual([422, errors(422, 'Auth type not valid', 'authType')]);
    expect((await sandbox.session('ada', { authType: 'internal' })).status).toBe(200);
    expect((await sandbox.session('ada', { lang: 'eng' })).json).toEqual(
      errors(422, 'Incorrect data', 'lang'),
    );
  });

  it('requires a currency only if that is mandatory', async () => {
    await using lenient = await startSandboxUnderTest();
    expect((await lenient.session('ada', { currency: 'XXX' })).status).toBe(200);
    await using sandbox = await startSandboxUnderTest({ SANDBOX_CURRENCY_MANDATORY: 'true' });
    expect((await sandbox.session('ada')).json).toEqual(errors(422, 'Currency cannot be blank', 'currency'));
    const unknown = await sandbox.session('ada', { currency: 'XXX' });
    expect([unknown.status, unknown.json]).toEqual([422, errors(422, 'Currency not found', 'currency')]);
    expect((await sandbox.session('ada', { currency: 'BRL' })).json).toEqual(
      errors(422, 'This currency is not active', 'currency'),
    );
    expect((await sandbox.session('ada', { currency: 'EUR' })).status).toBe(200);
  });

  it('refuses an unknown player if players must exist', async () => {
    await using sandbox = await startSandboxUnderTest({ SANDBOX_UNKNOWN_PLAYERS: 'refuse' });
    const unknown = await sandbox.session('ada');
    expect([unknown.status, unknown.json]).toEqual([404, errors(404, 'Player not found')]);
    expect((await sandbox.control('POST', 'players', { userId: 'ada' })).status).toBe(201);
    expect((await sandbox.session('ada')).status).toBe(200);
  });
});

const pointed = (detail: string, path: string) => ({
  errors: [
    {
      status: 422,
      title: 'Unprocessable Entity',
      detail,
      source: { pointer: `/data${path}` },
    },
  ],
});

describe('open-game', () => {
  it('opens the lobby for an unknown player, with a generated session id', async () => {
    await using sandbox = await startSandboxUnderTest({ SANDBOX_UNKNOWN_PLAYERS: 'refuse' });
    const { status, headers, json } = await sandbox.openGame({ player: { id: 'ada' } }, 'sandboxadaOpenGame');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/vnd.api+json');
    const { auth, sessionId } = json.data.attributes;
    expect(json.data).toEqual({
      id: `/apiweb/v3/game-sessions/${sessionId}`,
      type: 'GameSession',
      attributes: { playerId: 'ada', sessionId, auth, url: `${sandbox.url}/lobby?auth=${auth}&lang=en` },
    });
    expect(sessionId).toMatch(/^[0-9a-f-]{36}$/);
    expect((await sandbox.session('ada')).status).toBe(200);
  });

  it('opens a table with launch options, given as an object or as a string', async () => {
    await using sandbox = await startSandboxUnderTest();
    const options = { restoreSessionUrl: 'https://op.example/?a=1&b=ü' };
    const canonical = `sandboxadas-1dehttps://op.example/?a=1&b=ü7OpenGame`;
    const open = (launchOptions: unknown) =>
      sandbox.openGame(
        { session: { id: 's-1', lang: 'de', tableId: 7, launchOptions }, player: { id: 'ada' } },
        canonical,
      );
    const [first, second] = [await open(options), await open(JSON.stringify(options))];
    const url = new URL(first.json.data.attributes.url);
    expect(url.pathname).toBe('/table/7');
    expect(JSON.parse(url.searchParams.get('launchOptions') as string)).toEqual(options);
    expect(url.searchParams.get('lang')).toBe('de');
    expect(second.json).toEqual(first.json);
  });

  it('opens the same session again under the same id, and not for another player', async () => {
    await using sandbox = await startSandboxUnderTest();
    const one = await sandbox.openGame(
      { session: { id: 's-1' }, player: { id: 'ada' } },
      'sandboxadas-1OpenGame',
    );
    const two = await sandbox.openGame(
      { session: { id: 's-1' }, player: { id: 'ada' } },
      'sandboxadas-1OpenGame',
    );
    expect(two.json).toEqual(one.json);
    const other = await sandbox.openGame(
      { session: { id: 's-1' }, player: { id: 'bob' } },
      'sandboxbobs-1OpenGame',
    );
    expect(other.json).toEqual(pointed("The session id is another player's", '/attributes/session/id'));
    expect((await sandbox.control('GET', 'players/bob')).status).toBe(404);
  });

  it('issues another token once the first has expired', async () => {
    await using sandbox = await startSandboxUnderTest({ SANDBOX_TOKEN_LIFETIME_MS: '1' });
    const open = () =>
      sandbox.openGame({ session: { id: 's-1' }, player: { id: 'ada' } }, 'sandboxadas-1OpenGame');
    const one = await open();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const two = await open();
    expect(two.json.data.attributes.sessionId).toBe('s-1');
    expect(two.json.data.attributes.auth).not.toBe(one.json.data.attributes.auth);
  });

  it('keeps the data of the player', async () => {
    await using sandbox = await startSandboxUnderTest({ SANDBOX_PLAYER_COUNTRY_MEMBER: 'countryCode' });
    const player = {
      id: 'ada',
      nick: 'Ace',
      currency: 'EUR',
      countryCode: 'DE',
      active: true,
      avatar: 3,
      tag: null,
    };
    expect((await sandbox.openGame({ player }, 'sandbox13DEEURadaAceOpenGame')).status).toBe(200);
    const { json } = await sandbox.control('GET', 'players/ada');
    expect(json).toEqual({
      clientId: 'sandbox',
      userId: 'ada',
      nick: 'Ace',
      currency: 'EUR',
      country: 'DE',
      profile: { countryCode: 'DE', active: true, avatar: 3 },
    });
  });

  it('answers with every message of the interface', async () => {
    await using sandbox = await startSandboxUnderTest({ SANDBOX_CURRENCY_MANDATORY: 'true' });
    const open = async (player: Record<string, string>, canonical: string, session = {}) =>
      (await sandbox.openGame({ session, player: { id: 'ada', ...player } }, canonical)).json;
    const at = '/attributes/player';
    expect(await open({}, 'sandboxadaOpenGame')).toEqual(
      pointed('Currency cannot be blank', `${at}/currency`),
    );
    expect(await open({ currency: 'XXX' }, 'sandboxXXXadaOpenGame')).toEqual(
      pointed('Currency not found', `${at}/currency`),
    );
    expect(await open({ currency: 'BRL' }, 'sandboxBRLadaOpenGame')).toEqual(
      pointed('This currency is not active', `${at}/currency`),
    );
    expect(await open({ currency: 'EUR' }, 'sandboxEURadabrowserOpenGame', { authType: 'browser' })).toEqual({
      errors: [expect.objectContaining({ status: 422, detail: 'Auth type not valid' })],
    });
    const nick = 'x'.repeat(33);
    expect(await open({ currency: 'EUR', nick }, `sandboxEURada${nick}OpenGame`)).toEqual(
      pointed('The maximum username length is 32', `${at}/nick`),
    );
    await sandbox.control('POST', 'players', { userId: 'bob', nick: 'Bob' });
    expect(await open({ currency: 'EUR', nick: 'bob' }, 'sandboxEURadabobOpenGame')).toEqual(
      pointed('A Player with this username already exists in the system.', `${at}/nick`),
    );
    expect((await sandbox.control('GET', 'players/ada')).status).toBe(404);
  });

  it.each([
    [{ player: {} }, 'sandboxOpenGame', '/attributes/player/id'],
    [{ session: {} }, 'sandboxOpenGame', '/attributes/player'],
    [{ player: { id: 5 } }, 'sandbox5OpenGame', '/attributes/player/id'],
    [{ player: { id: 'ada', avatar: '3' } }, 'sandbox3adaOpenGame', '/attributes/player/avatar'],
    [{ player: { id: 'ada', country: 49 } }, 'sandbox49adaOpenGame', '/attributes/player/country'],
    [
      { player: { id: 'ada' }, session: { tableId: 1.5 } },
      'sandboxada1.5OpenGame',
      '/attributes/session/tableId',
    ],
    [
      { player: { id: 'ada' }, session: { launchOptions: [1] } },
      'sandboxada1OpenGame',
      '/attributes/session/launchOptions',
    ],
    [
      { player: { id: 'ada' }, session: { launchOptions: 'x' } },
      'sandboxadaxOpenGame',
      '/attributes/session/launchOptions',
    ],
  ])('refuses %j', async (attributes, canonical, path) => {
    await using sandbox = await startSandboxUnderTest();
    const { status, json } = await sandbox.openGame(attributes, canonical);
    expect(status).toBe(422);
    expect(json.errors).toEqual([
      expect.objectContaining({ detail: 'Incorrect data', source: { pointer: `/data${path}` } }),
    ]);
  });

  it('refuses bodies that are not a document of the right media type', async () => {
    await using sandbox = await startSandboxUnderTest();
    const send = async (body: string, contentType = 'application/vnd.api+json') =>
      (
        await sandbox.send({
          method: 'POST',
          path: '/apiweb/v3/open-game?client=sandbox',
          headers: { 'content-type': contentType, sign: digest('sandbox') },
          body,
        })
      ).status;
    expect(await send('{}', 'application/json')).toBe(415);
    expect(await send('{"data":')).toBe(400);
    expect(await send('[]')).toBe(400);
    expect(await send('['.repeat(100_000))).toBe(400);
    expect(await send('x'.repeat(1_100_000))).toBe(413);
    expect(await send('{}')).toBe(422);
  });
});
