import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

import { describe, expect, it } from '@jest/globals';

import type { PlatformSettings } from '#platform';

import {
  buildClient,
  type CalledOperation,
  CALLS,
  callWithin,
  failureOf,
  OPERATIONS,
  platform,
} from './client.ts';
import { changed, DOCUMENTS, GAME, RAKE_REPORT, SESSION } from './documents.ts';
import { answers } from './local-platform.ts';

/** Calls a platform that answers with a document, or with a text unchanged. */
function run<O extends CalledOperation>(
  operation: O,
  document: unknown,
  settings: Partial<PlatformSettings> = {},
): ReturnType<(typeof CALLS)[O]> {
  platform.always(answers(200, document));
  return CALLS[operation](buildClient({ settings }).client) as ReturnType<(typeof CALLS)[O]>;
}

async function reasonOf(call: Promise<unknown>): Promise<unknown> {
  const { code, details, platform: answer } = await failureOf(call);
  expect([code, answer]).toEqual(['PLATFORM_PROTOCOL_ERROR', { status: 200, errors: [] }]);
  return details?.['reason'];
}

describe('a successful answer', () => {
  it.each(OPERATIONS)('is read regardless of its 2xx status and content type: %s', async (operation) => {
    platform.always(answers(201, DOCUMENTS[operation], { 'content-type': 'text/html; charset=latin1' }));
    expect(await CALLS[operation](buildClient().client)).toBeDefined();
  });

  it('may begin with a byte order mark and contain unknown members', async () => {
    const document = { ...(changed(SESSION, 'data/attributes/new', [1]) as object), jsonapi: {} };
    expect(await run('session.create', `\uFEFF${JSON.stringify(document)}`)).toMatchObject({ userId: 'u-1' });
  });

  it('may arrive in many chunks', async () => {
    const text = ' '.repeat(63 * 1024) + JSON.stringify(SESSION);
    expect(await run('session.create', text)).toMatchObject({ userId: 'u-1' });
  });

  it('may be for a player id with any characters', async () => {
    const id = '\u202eשם/..\u2066';
    platform.next(answers(200, changed(SESSION, 'data/attributes/user-id', id)));
    platform.next(answers(200, changed(GAME, 'data/attributes/playerId', id)));
    const { client } = buildClient();
    expect(await client.call('session.create', { userId: id }, callWithin())).toMatchObject({ userId: id });
    expect(await client.call('game.open', { player: { id } }, callWithin())).toMatchObject({ playerId: id });
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('is decompressed although no encoding was requested: %s', async (encoding, encode) => {
    const body = encode(JSON.stringify(SESSION));
    platform.always(answers(200, body, { 'content-encoding': encoding }));
    expect(await CALLS['session.create'](buildClient().client)).toBeDefined();
  });
});

describe('a successful answer that violates the interface document is rejected', () => {
  const TOO_LONG = 'x'.repeat(8_193);
  const NO_URL = 'not an https URL';
  const DECEPTIVE = 'control or direction';
  const ATTRIBUTES = 'data/attributes';

  it.each<readonly [CalledOperation, string, unknown, string?]>([
    ['session.create', 'data/id', undefined],
    ['session.create', 'data/id', TOO_LONG, '8 KiB'],
    ['session.create', 'data/type', 'Session'],
    ['session.create', `${ATTRIBUTES}/auth`, 'a\u0000b', DECEPTIVE],
    ['session.create', `${ATTRIBUTES}/auth`, 'a\ud800b', 'lone surrogate'],
    ['session.create', `${ATTRIBUTES}/redirect-url`, null],
    ['session.create', `${ATTRIBUTES}/redirect-url`, 'poker://lobby?auth=1', 'PLATFORM_URL_SCHEMES'],
    ['session.create', `${ATTRIBUTES}/redirect-url`, 'javascript:alert(1)', NO_URL],
    ['session.create', `${ATTRIBUTES}/user-id`, 'u-2', 'SESSION_USER_ID'],
    ['game.open', 'data/id', undefined],
    ['game.open', 'data/type', 'session'],
    ['game.open', `${ATTRIBUTES}/playerId`, undefined],
    ['game.open', `${ATTRIBUTES}/playerId`, 'u-2', 'another player'],
    ['game.open', `${ATTRIBUTES}/sessionId`, TOO_LONG, '8 KiB'],
    ['game.open', `${ATTRIBUTES}/url`, undefined],
    ['game.open', `${ATTRIBUTES}/url`, 'https://play.example/\u202egpj', DECEPTIVE],
    ['report.ad-hoc.fetch', 'meta/total-count', '1'],
    ['report.ad-hoc.fetch', 'meta/page-count', -1],
    ['report.ad-hoc.fetch', 'data/0/type', 'players-rake'],
    ['report.rake.fetch', 'data/0/attributes/value', '5.12'],
  ])('%s with %s = %j', async (...[operation, path, value, why]) => {
    const reason = await reasonOf(run(operation, changed(DOCUMENTS[operation], path, value)));
    expect(reason).toContain(`/${path}`);
    if (typeof why === 'string') expect(reason).toContain(why);
    expect(platform.requests).toHaveLength(1);
  });

  it.each<[string, string | Buffer, string]>([
    ['empty', '', 'the body is empty'],
    ['HTML', '<html>Welcome</html>', 'the body is not JSON'],
    ['a list', '[]', 'the body is not an object'],
    ['all brackets', '['.repeat(60_000), 'the body is not JSON'],
    ['over 64 KiB', JSON.stringify(SESSION).padEnd(64 * 1024 + 1), 'the body is unreadable: too-large'],
    [
      'not UTF-8',
      Buffer.from(JSON.stringify(SESSION).replace('u-1', 'ü'), 'latin1'),
      'the body is not UTF-8',
    ],
  ])('a body that is %s', async (_name, body, reason) => {
    expect(await reasonOf(run('session.create', body))).toBe(reason);
  });

  it.each<[string, string, string | Buffer, string]>([
    ['is unknown', 'zstd-2', 'x', 'encoding'],
    ['is broken', 'gzip', 'not gzip', 'encoding'],
    ['hides too much', 'gzip', gzipSync(Buffer.alloc(64 * 1024 + 1, 0x20)), 'too-large'],
  ])('a body whose content encoding %s', async (_what, encoding, body, reason) => {
    platform.always(answers(200, body, { 'content-encoding': encoding }));
    const call = CALLS['session.create'](buildClient().client);
    expect(await reasonOf(call)).toBe(`the body is unreadable: ${reason}`);
  });
});

describe('a session or game', () => {
  it('is read from a document with thousands of other values, and no integer loses digits', async () => {
    const document = JSON.stringify({ ...SESSION, more: Array.from({ length: 20_000 }, () => ({})) });
    expect(await run('session.create', document)).toMatchObject({ userId: 'u-1' });
    const unsafe = document.replace('"u-1"', '12345678901234567890');
    const call = run('session.create', unsafe, { sessionUserId: 'any' });
    expect(await reasonOf(call)).toBe('/data/attributes/user-id is not a non-empty string');
  });

  it.each([
    ['"u-1"', undefined],
    ['"platform-7"', 'platform-7'],
    ['12345678901234567890', '12345678901234567890'],
  ])('passes on its user id %s with SESSION_USER_ID=any', async (written, platformUserId) => {
    const document = JSON.stringify(SESSION).replace('"u-1"', written);
    expect(await run('session.create', document, { sessionUserId: 'any' })).toEqual({
      userId: 'u-1',
      ...(platformUserId !== undefined && { platformUserId }),
      sessionId: 'session-u-1',
      auth: 'auth-u-1',
      redirectUrl: 'https://lobby.example/?auth=auth-u-1&lang=en',
    });
  });

  it.each([null, 0.5])('requires a user id even with SESSION_USER_ID=any: rejects %j', async (id) => {
    const document = changed(SESSION, 'data/attributes/user-id', id);
    const reason = await reasonOf(run('session.create', document, { sessionUserId: 'any' }));
    expect(reason).toBe('/data/attributes/user-id is not a non-empty string');
  });

  it('may have integer ids, which become decimal strings', async () => {
    const session = changed(SESSION, 'data/attributes/session-id', 4711);
    expect(await run('session.create', session)).toMatchObject({ sessionId: '4711' });
    platform.always(answers(200, JSON.stringify(GAME).replace('"u-1"', '7').replace('"session-u-1"', '8')));
    const opened = await buildClient().client.call('game.open', { player: { id: '7' } }, callWithin());
    expect(opened).toMatchObject({ playerId: '7', sessionId: '8' });
  });

  it('may have a launch URL without TLS only if the platform is called without TLS', async () => {
    const url = 'http://play.example/table/7';
    expect(await run('game.open', changed(GAME, 'data/attributes/url', url))).toMatchObject({ url });
  });

  it('may be the only item of a list', async () => {
    const list = (...data: object[]) => run('game.open', { data });
    const { data } = GAME as { data: object };
    expect(await list(data)).toMatchObject({ playerId: 'u-1' });
    for (const several of [[], [data, data]]) {
      expect(await reasonOf(list(...several))).toBe('/data is not an object');
    }
  });

  it('may have a launch URL with a scheme from the settings', async () => {
    const lead = (url: string, hosts?: string) => {
      const urlHosts = hosts === undefined ? undefined : new Set([hosts]);
      return run('game.open', changed(GAME, 'data/attributes/url', url), {
        urlSchemes: ['https', 'poker'],
        urlHosts,
      });
    };
    for (const url of ['poker://Lobby/?auth=1', 'https://lobby.example/']) {
      expect(await lead(url)).toMatchObject({ url });
    }
    expect(await lead('poker://Lobby/?auth=1', 'lobby')).toBeDefined();
    expect(await reasonOf(lead('poker:?auth=1', 'lobby'))).toContain('PLATFORM_URL_HOSTS');
    expect(await reasonOf(lead('pokers://lobby'))).toContain('is not an https or poker URL');
  });

  it('must have a launch URL on a host from the settings, if hosts are configured', async () => {
    const lead = (host: string) => run('game.open', GAME, { urlHosts: new Set([host]) });
    expect(await lead('lobby.example')).toBeDefined();
    expect(await reasonOf(lead('play.example'))).toContain('PLATFORM_URL_HOSTS');
  });
});

describe('a report', () => {
  it('passes on a record with a fault if the setting is lenient', async () => {
    const document = changed(RAKE_REPORT, 'data/0/attributes/value', 1.5);
    const { faults } = await run('report.rake.fetch', document, { reportRecords: 'lenient' });
    expect(faults).toEqual([{ pointer: '/records/0/value', message: 'is not an integer' }]);
  });

  it('fails if it exceeds 16 MiB', async () => {
    const call = run('report.rake.fetch', JSON.stringify(RAKE_REPORT).padEnd(16 * 1024 * 1024 + 1));
    expect(await reasonOf(call)).toBe('the body is unreadable: too-large');
  });
});
