import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { ReceivedReply } from '../../support/bus-caller.ts';
import { type SandboxedService, startSandboxedService } from './sandboxed-service.ts';

const CONVENTIONS = {
  SIGNATURE_SCALARS: 'json',
  SIGNATURE_OPEN_GAME_CLIENT: 'drop',
  SIGNATURE_JSON_STRINGS: 'all',
  RAKE_PARAMETERS_IN: 'query',
  PLAYER_COUNTRY_MEMBER: 'countryCode',
};
const RAW_BODY = { SIGNATURE_SCHEME_V3: 'raw-body' };
const DAY = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
const GAME = { player: { id: 'p-1', country: 'DE', active: true, verified: false }, session: { tableId: 7 } };

describe('several operators', () => {
  let folder: string;
  let sandboxed: SandboxedService;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'operators-'));
    const write = async (name: string, content: unknown): Promise<string> => {
      const path = join(folder, name);
      await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
      return path;
    };
    const secretKeyFile = await write('secret', 'the-secret-of-casino\n');
    const clients = {
      'client-of-casino': { secretKey: 'the-secret-of-casino', settings: CONVENTIONS },
      'client-of-club': { secretKey: 'the-secret-of-club', settings: RAW_BODY },
      'client-of-free': {},
      'client-of-barred': { secretKey: 'the-secret-of-barred', operations: ['open-game'] },
    };
    const operators = {
      casino: { clientId: 'client-of-casino', secretKeyFile, settings: CONVENTIONS },
      club: { clientId: 'client-of-club', secretKey: 'the-secret-of-club', settings: RAW_BODY },
      free: { clientId: 'client-of-free' },
      barred: { clientId: 'client-of-barred', secretKey: 'the-secret-of-barred' },
      mistaken: { clientId: 'client-of-club', secretKey: 'not-the-secret-of-club' },
    };
    sandboxed = await startSandboxedService({
      sandbox: { SANDBOX_CLIENTS_FILE: await write('clients.json', clients) },
      worker: { OPERATORS_FILE: await write('operators.json', operators) },
    });
  });
  afterAll(async () => {
    await sandboxed?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const send = async (
    operator: string | undefined,
    type: string,
    body: object,
    messageId: string = randomUUID(),
  ): Promise<ReceivedReply> => {
    const headers = operator === undefined ? {} : { operator };
    const replies = await sandboxed.caller.send(type, body, { headers, messageId });
    return replies.at(-1) as ReceivedReply;
  };
  const clientOfLast = async () => {
    const { searchParams } = new URL((await sandboxed.platform.lastRequest()).url, 'http://platform');
    return searchParams.get('clientId') ?? searchParams.get('client');
  };

  it.each([
    [undefined, 'sandbox'],
    ['default', 'sandbox'],
    ['casino', 'client-of-casino'],
    ['club', 'client-of-club'],
  ])('%s calls with its own credentials', async (operator, client) => {
    expect((await send(operator, 'session.create', { userId: 'p-1' })).type).toBe('session.created');
    expect(await clientOfLast()).toBe(client);
    expect((await send(operator, 'game.open', GAME)).type).toBe('game.opened');
    expect(await clientOfLast()).toBe(client);
    expect((await send(operator, 'report.rake.fetch', DAY)).type).toBe('report.completed');
    expect(await clientOfLast()).toBe(client);
    expect((await send(operator, 'report.ad-hoc.fetch', DAY)).type).toBe('report.completed');
    expect(await clientOfLast()).toBe(client);
  });

  it("follows the conventions of its operator's platform", async () => {
    await send('casino', 'game.open', GAME);
    const { player } = await sandboxed.platform.lastGame();
    expect(player).toMatchObject({ id: 'p-1', countryCode: 'DE' });
    expect(player).not.toHaveProperty('country');

    await send('casino', 'report.rake.fetch', DAY);
    const { url, body } = await sandboxed.platform.lastRequest();
    expect(new URL(url, 'http://platform').searchParams.get('dateFrom')).toBe(DAY.dateFrom);
    expect(body).toBe('');
  });

  it('without a secret key opens games unsigned, and cannot use v2', async () => {
    expect((await send('free', 'game.open', GAME)).type).toBe('game.opened');
    expect((await sandboxed.platform.lastRequest()).headers).not.toHaveProperty('sign');
    for (const [type, body] of [
      ['session.create', { userId: 'p-1' }],
      ['report.ad-hoc.fetch', DAY],
      ['report.rake.fetch', DAY],
    ] as const) {
      expect((await send('free', type, body)).body).toMatchObject({
        code: 'SECRET_KEY_MISSING',
        category: 'misconfigured',
        attempts: 0,
      });
    }
  });

  it('that the platform refuses gets the reason: rights, or signature', async () => {
    const forbidden = await send('barred', 'session.create', { userId: 'p-1' });
    expect(forbidden.body).toMatchObject({
      code: 'FORBIDDEN',
      category: 'misconfigured',
      platform: { status: 403 },
    });
    for (const [type, body] of [
      ['session.create', { userId: 'p-1' }],
      ['game.open', { player: { id: 'p-1' } }],
    ] as const) {
      const rejected = await send('mistaken', type, body);
      expect(rejected.body).toMatchObject({
        code: 'SIGNATURE_REJECTED',
        category: 'misconfigured',
        attempts: 1,
      });
      expect(rejected.text).not.toContain('secret-of-club');
    }
  });

  it('that is not configured is refused without a call', async () => {
    const received = await sandboxed.platform.received('session');
    for (const operator of ['Casino', '', 'constructor', '__proto__']) {
      const { body } = await send(operator, 'session.create', { userId: 'p-1' });
      expect(body).toMatchObject({ code: 'UNKNOWN_OPERATOR', category: 'invalid', attempts: 0 });
    }
    expect(await sandboxed.platform.received('session')).toBe(received);
  });

  it('share no identities: the same message id is another command', async () => {
    const id = randomUUID();
    const ours = await send('casino', 'game.open', { player: { id: 'p-1' } }, id);
    const theirs = await send('club', 'game.open', { player: { id: 'p-2' } }, id);
    expect([ours.type, theirs.type]).toEqual(['game.opened', 'game.opened']);
    expect(ours.body['sessionId']).not.toBe(theirs.body['sessionId']);

    const conflict = await send('club', 'game.open', { player: { id: 'p-3' } }, id);
    expect(conflict.body).toMatchObject({ code: 'IDEMPOTENCY_CONFLICT', category: 'invalid' });
    expect(conflict.messageId).toMatch(new RegExp(`^${id}:conflict:[0-9a-f]{16}$`));
  });
});
