import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import type { BusCaller } from '../../support/bus-caller.ts';
import type { SandboxControl } from '../../support/sandbox-control.ts';
import { expectedProperties } from './expected-properties.ts';
import { type SandboxedService, startSandboxedService } from './sandboxed-service.ts';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('the worker, at session.create and game.open,', () => {
  let sandboxed: SandboxedService;
  let caller: BusCaller;
  let platform: SandboxControl;
  let id: string;
  let correlationId: string;

  beforeAll(async () => {
    sandboxed = await startSandboxedService();
    ({ caller, platform } = sandboxed);
  });
  afterAll(async () => sandboxed?.[Symbol.asyncDispose]());
  beforeEach(() => {
    id = `id-${randomUUID()}`;
    correlationId = `correlation-${randomUUID()}`;
  });

  const send = (type: string, body: object, options: object = {}) =>
    caller.sendForOne(type, body, { messageId: id, correlationId, ...options });

  it('creates a session from every member, and answers with exactly what the contract lists', async () => {
    const userId = 'a/b?c=d&e#%2e é\u{1f0a1}';
    const session = {
      userId,
      nick: `Ada ${id.slice(-8)}`,
      authType: 'internal',
      lang: 'de',
      currency: 'EUR',
    };
    const nowSeconds = Date.now() / 1000;
    const { properties, body } = await send('session.create', session);

    const reply = { type: 'session.created', id, commandType: 'session.create', correlationId };
    expect(properties).toEqual(expectedProperties(reply));
    expect(Math.abs(properties.timestamp - nowSeconds)).toBeLessThan(5);
    expect(body).toEqual({
      userId,
      sessionId: expect.stringMatching(UUID),
      auth: expect.stringMatching(/^[\w-]{32}$/),
      redirectUrl: expect.any(String),
    });
    const url = new URL(String(body['redirectUrl']));
    expect([url.pathname, Object.fromEntries(url.searchParams)]).toEqual([
      '/lobby',
      { auth: body['auth'], lang: 'de' },
    ]);
    const request = await platform.lastRequest();
    expect(request).toMatchObject({
      method: 'POST',
      url: `/api/web/v2/app/users/${encodeURIComponent(userId)}/session?clientId=sandbox`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/vnd.api+json' },
    });
    expect(Object.fromEntries(new URLSearchParams(request.body))).toEqual(session);
    expect(await platform.player(userId)).toMatchObject({ nick: session.nick, currency: 'EUR' });
  });

  it('sends nothing to the platform that was not in the command', async () => {
    await send('session.create', { userId: 'p-bare' });
    expect((await platform.lastRequest()).body).toBe('userId=p-bare');

    id = `${id}-2`;
    await send('game.open', { player: { id: 'p-bare' }, session: { id: 's-bare' } });
    expect(JSON.parse((await platform.lastRequest()).body)).toEqual({
      data: { type: 'OpenGame', attributes: { player: { id: 'p-bare' }, session: { id: 's-bare' } } },
    });
  });

  it('opens a table from every member, and answers with exactly what the contract lists', async () => {
    const player = {
      id: 'p-whole',
      nick: `Whole ${id.slice(-8)}`,
      name: 'Ada Łovelace',
      email: 'ada@example.com',
      referredBy: 'bob',
      referralCode: 'R1',
      bonusCode: 'B1',
      avatar: 7,
      phoneNumber: '+49 30 1',
      tag: 'vip',
      active: true,
      verified: false,
      trustedLevel: -2,
      currency: 'EUR',
      preferredCurrency: 'USD',
      country: 'DE',
    };
    const launchOptions = {
      restoreSessionUrl: 'https://example.com/?a=1&b=2',
      theme: { dark: true, of: [null, 2] },
    };
    const session = {
      id: `s-${id}`,
      authType: 'internal',
      tableId: 42,
      lang: 'fr',
      launchOptions,
      longLifeLoginToken: false,
      userIp: '192.0.2.1',
    };
    const { properties, body } = await send('game.open', { player, session });

    const reply = { type: 'game.opened', id, commandType: 'game.open', correlationId };
    expect(properties).toEqual(expectedProperties(reply));
    expect(body).toEqual({
      id: expect.stringMatching(/^\/apiweb\/v3\//),
      playerId: 'p-whole',
      sessionId: session.id,
      auth: expect.stringMatching(/^[\w-]{32}$/),
      url: expect.any(String),
    });
    const url = new URL(String(body['url']));
    expect(url.pathname).toBe('/table/42');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      auth: body['auth'],
      lang: 'fr',
      launchOptions: JSON.stringify(launchOptions),
    });
    const request = await platform.lastRequest();
    expect(request).toMatchObject({
      method: 'POST',
      url: '/apiweb/v3/open-game?client=sandbox',
      headers: { 'content-type': 'application/vnd.api+json', accept: 'application/vnd.api+json' },
    });
    expect(JSON.parse(request.body)).toEqual({
      data: { type: 'OpenGame', attributes: { player, session } },
    });
  });

  it('sends launch options that came as a string as the object that it holds', async () => {
    const options = '{"z":[1,{"b":"{\\"kept\\":1}","a":""}],"restoreSessionUrl":"https://example.com"}';
    const { type, body } = await send('game.open', {
      player: { id: 'p-options' },
      session: { launchOptions: options },
    });
    expect(type).toBe('game.opened');
    expect(new URL(String(body['url'])).pathname).toBe('/lobby');
    expect((await platform.lastGame()).session['launchOptions']).toEqual(JSON.parse(options));
  });

  it('echoes a valid trace only', async () => {
    const headers = { traceparent: TRACEPARENT, tracestate: 'vendor=1' };
    const { properties } = await send('session.create', { userId: 'p-trace' }, { headers });
    const reply = { type: 'session.created', id, commandType: 'session.create', correlationId };
    expect(properties).toEqual(expectedProperties({ ...reply, headers: { traceparent: TRACEPARENT } }));

    const broken = { traceparent: `${TRACEPARENT}-more` };
    const second = await send('session.create', { userId: 'p-trace' }, { headers: broken });
    expect(second.headers).not.toHaveProperty('traceparent');
  });

  it("passes on what the platform refuses, without the command's own values", async () => {
    const nick = `Taken ${id.slice(-8)}`;
    await send('session.create', { userId: 'p-first', nick }, { messageId: `first-${id}` });
    const { properties, body } = await send('game.open', { player: { id: 'p-second', nick } });
    const reply = { type: 'command.failed', id, commandType: 'game.open', correlationId };
    expect(properties).toEqual(expectedProperties(reply));
    const message = 'A Player with this username already exists in the system.';
    expect(body).toEqual({
      code: 'NICKNAME_TAKEN',
      category: 'rejected',
      retryable: false,
      message,
      platform: {
        status: 422,
        errors: [
          {
            status: 422,
            title: 'Unprocessable Entity',
            detail: message,
            pointer: '/data/attributes/player/nick',
          },
        ],
      },
      attempts: 1,
      command: { id, type: 'game.open' },
      occurredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });
});
