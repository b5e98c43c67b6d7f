import { describe, expect, it } from '@jest/globals';
import { startSandboxUnderTest } from './sandbox-under-test.ts';

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
