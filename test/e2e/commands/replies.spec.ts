import { randomUUID } from 'node:crypto';

import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';

import { COMPLETE } from '../../../libs/contracts/src/commands/validate-command.fixture.ts';
import { until } from '../../support/until.ts';
import { expectedProperties } from './expected-properties.ts';
import { sandboxedForAll } from './sandboxed-service.ts';

const DAY = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The platform's request: extra members stay at their level. */
const sent = ({ extra, ...members }: { extra: object }) => ({ ...members, ...extra });

describe('the worker', () => {
  const sandboxed = sandboxedForAll({
    sandbox: { SANDBOX_REPORT_RECORDS: '3' },
    // A repeat is run again.
    worker: {
      IDEMPOTENCY_TTL_MS: '1',
      PLATFORM_EXTRA_MEMBERS: 'session.create/gameCode,game.open/player/city,game.open/session/gameCode',
    },
  });
  let id: string;
  let correlationId: string;

  beforeEach(() => {
    id = `id-${randomUUID()}`;
    correlationId = `correlation-${randomUUID()}`;
  });

  const send = (type: string, body: object, options: object = {}) =>
    sandboxed.caller.sendForOne(type, body, { messageId: id, correlationId, ...options });

  it('creates a session from every member, and answers with exactly what the contract lists', async () => {
    const userId = 'a/b?c=d&e#%2e é\u{1f0a1}';
    const session = { ...COMPLETE['session.create'], userId, nick: `Ada ${id.slice(-8)}`, lang: 'de' };
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
    const request = await sandboxed.platform.lastRequest();
    expect(request).toMatchObject({
      method: 'POST',
      url: `/api/web/v2/app/users/${encodeURIComponent(userId)}/session?clientId=sandbox`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/vnd.api+json' },
    });
    expect(Object.fromEntries(new URLSearchParams(request.body))).toEqual(sent(session));
    expect(await sandboxed.platform.player(userId)).toMatchObject({ nick: session.nick, currency: 'EUR' });
  });

  it('opens a table from every member, and answers with exactly what the contract lists', async () => {
    const shown = COMPLETE['game.open'];
    const player = { ...shown.player, id: 'p-whole', nick: `Whole ${id.slice(-8)}`, name: 'Ada Łovelace' };
    const launchOptions = {
      restoreSessionUrl: 'https://example.com/?a=1&b=2',
      theme: { dark: true, of: [null, 2] },
    };
    const session = { ...shown.session, id: `s-${id}`, launchOptions };
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
    expect(url.pathname).toBe('/table/7');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      auth: body['auth'],
      lang: 'pt-BR',
      launchOptions: JSON.stringify(launchOptions),
    });
    const request = await sandboxed.platform.lastRequest();
    expect(request).toMatchObject({
      method: 'POST',
      url: '/apiweb/v3/open-game?client=sandbox',
      headers: { 'content-type': 'application/vnd.api+json', accept: 'application/vnd.api+json' },
    });
    const attributes = { player: sent(player), session: sent(session) };
    expect(JSON.parse(request.body)).toEqual({ data: { type: 'OpenGame', attributes } });
  });

  it('opens the same session for the same message id, even after its reply has expired', async () => {
    const game = { player: { id: 'p-again' } };
    const first = await send('game.open', game);
    expect(first.body['sessionId']).toMatch(UUID);
    const received = await sandboxed.platform.received('open-game');
    expect((await send('game.open', game)).body).toEqual(first.body);
    expect(await sandboxed.platform.received('open-game')).toBe(received + 1);
    const other = await send('game.open', game, { messageId: `other-${id}` });
    expect(other.body['sessionId']).not.toBe(first.body['sessionId']);
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
      violations: [{ pointer: '/player/nick', message }],
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

  it('answers a direct reply-to, page by page, in sequence', async () => {
    const { caller, service } = sandboxed;
    const channel = await caller.connection.createChannel();
    const replyTo = 'amq.rabbitmq.reply-to';
    const received: ConsumeMessage[] = [];
    await channel.consume(replyTo, (message) => message && received.push(message), { noAck: true });
    const content = Buffer.from(JSON.stringify({ ...DAY, perPage: 1 }));
    channel.publish(service.name('commands'), 'report.rake.fetch', content, { replyTo, messageId: id });
    await until('the report is complete', () => received.at(-1)?.properties.headers?.['final'] === true);
    expect(received.map(({ properties }) => [properties.messageId, properties.type])).toEqual([
      [`${id}:0`, 'report.page'],
      [`${id}:1`, 'report.page'],
      [`${id}:2`, 'report.completed'],
    ]);
    // RabbitMQ 4.0 returns a mandatory message that it delivered to such a key.
    const { messageCount } = await channel.checkQueue(service.name('replies.undelivered'));
    expect(messageCount).toBe(0);
    await channel.close();
  });
});
