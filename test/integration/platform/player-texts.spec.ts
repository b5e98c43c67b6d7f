import { describe, expect, it } from '@jest/globals';

import { buildClient, CALLS, createSession, failureOf, platform } from './client.fixture.ts';
import { changed, GAME, SESSION } from './documents.ts';
import { answers } from './local-platform.ts';

const DOCUMENTS = { 'session.create': SESSION, 'game.open': GAME } as const;
type Operation = keyof typeof DOCUMENTS;

const run = (operation: Operation) => CALLS[operation](buildClient().client);

describe('a session or game', () => {
  const ATTRIBUTES = 'data/attributes';
  const TOO_LONG = 'x'.repeat(8_193);
  const CHANGES: [Operation, string, unknown, string][] = [
    ['session.create', 'user-id', 'u-2', 'SESSION_USER_ID'],
    ['session.create', 'user-id', 4711, 'SESSION_USER_ID'],
    ['session.create', 'user-id', 0.5, 'not a non-empty string'],
    ['game.open', 'playerId', 'u-2', 'another player'],
    ['session.create', 'redirect-url', 'javascript:alert(1)', 'not an https URL'],
    ['game.open', 'url', 'data:text/html,x', 'not an https URL'],
    ['session.create', 'redirect-url', 'https://play.example/\r\nset-cookie: x', 'control or direction'],
    ['game.open', 'url', 'https://play.example/\u202egpj', 'control or direction'],
    ['session.create', 'auth', 'a\u0000b', 'control or direction'],
    ['game.open', 'sessionId', TOO_LONG, 'longer than 8 KiB'],
    ['session.create', 'redirect-url', `https://play.example/${TOO_LONG}`, 'longer than 8 KiB'],
  ];

  it.each(CHANGES)(
    'is refused that a player must not be sent to: %s with %s %j',
    async (operation, member, value, reason) => {
      platform.always(answers(200, changed(DOCUMENTS[operation], `${ATTRIBUTES}/${member}`, value)));
      const error = await failureOf(run(operation));
      expect(error.code).toBe('PLATFORM_PROTOCOL_ERROR');
      expect(error.details?.['reason']).toContain(reason);
    },
  );

  it.each([
    ['as it was asked for', '"u-1"', undefined],
    ['by an id of its own', '"platform-7"', 'platform-7'],
    ['by an integer', '12345678901234567890', '12345678901234567890'],
  ])('names its user %s, which SESSION_USER_ID=any passes on', async (_, written, platformUserId) => {
    platform.always(answers(200, JSON.stringify(SESSION).replace('"u-1"', written)));
    const { client } = buildClient({ settings: { sessionUserId: 'any' } });
    const created = await createSession(client);
    expect(created).toEqual({
      userId: 'u-1',
      ...(platformUserId !== undefined && { platformUserId }),
      sessionId: 'session-1',
      auth: 'auth-token',
      redirectUrl: 'https://play.example/?auth=auth-token&lang=en',
    });
  });

  it.each(['""', 'null', '{}', '0.5', 'true'])(
    'names a user, also with SESSION_USER_ID=any: %s is none',
    async (written) => {
      platform.always(answers(200, JSON.stringify(SESSION).replace('"u-1"', written)));
      const { client } = buildClient({ settings: { sessionUserId: 'any' } });
      const error = await failureOf(createSession(client));
      expect(error.details?.['reason']).toBe('/data/attributes/user-id is not a non-empty string');
    },
  );

  it('may lead to a platform without TLS only if that is where it was asked', async () => {
    const url = 'http://play.example/table/7';
    platform.always(answers(200, changed(GAME, `${ATTRIBUTES}/url`, url)));
    await expect(run('game.open')).resolves.toMatchObject({ url });
  });

  it('leads to the hosts of the settings, if there are any', async () => {
    platform.always(answers(200, GAME));
    const client = (host: string) => buildClient({ settings: { urlHosts: new Set([host]) } }).client;
    await expect(CALLS['game.open'](client('play.example'))).resolves.toBeDefined();
    const error = await failureOf(CALLS['game.open'](client('lobby.example')));
    expect(error.details?.['reason']).toContain('PLATFORM_URL_HOSTS');
  });

  it('is refused if it is not UTF-8', async () => {
    const body = Buffer.from(JSON.stringify(changed(SESSION, `${ATTRIBUTES}/auth`, 'a?b')));
    body[body.indexOf('?')] = 0xff;
    platform.always(answers(200, body));
    expect((await failureOf(run('session.create'))).details?.['reason']).toContain('not UTF-8');
  });
});
