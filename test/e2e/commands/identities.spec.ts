import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import type { BusCaller } from '../../support/bus-caller.ts';
import type { SandboxControl } from '../../support/sandbox-control.ts';
import { until } from '../../support/until.ts';
import { expectedProperties } from './expected-properties.ts';
import { type SandboxedService, startSandboxedService } from './sandboxed-service.ts';

/** Long enough for a busy machine to send a repeat before it expires. */
const IDEMPOTENCY_TTL_MS = 3_000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('identities', () => {
  let sandboxed: SandboxedService;
  let caller: BusCaller;
  let platform: SandboxControl;
  let id: string;
  let correlationId: string;

  beforeAll(async () => {
    sandboxed = await startSandboxedService({
      worker: { IDEMPOTENCY_TTL_MS: String(IDEMPOTENCY_TTL_MS) },
    });
    ({ caller, platform } = sandboxed);
  });

  afterAll(async () => sandboxed?.[Symbol.asyncDispose]());

  beforeEach(() => {
    id = `id-${randomUUID()}`;
    correlationId = `correlation-${randomUUID()}`;
  });

  const send = (type: string, body: object, options: object = {}) =>
    caller.sendForOne(type, body, { messageId: id, correlationId, ...options });

  it('the same message id opens the same session, even after the reply has expired', async () => {
    const game = { player: { id: 'p-again' } };
    const first = await send('game.open', game);
    expect(first.body['sessionId']).toMatch(UUID);
    const received = await platform.received('open-game');
    const again = await until('the platform is asked again', async () => {
      const reply = await send('game.open', game);
      return (await platform.received('open-game')) > received && reply;
    });
    expect(again.body).toEqual(first.body);
    expect(again.messageId).toBe(first.messageId);

    const other = await send('game.open', game, { messageId: `other-${id}` });
    expect(other.body['sessionId']).not.toBe(first.body['sessionId']);
  });

  it('a repeat gets the reply of the first in its own reply queue', async () => {
    const first = await send('session.create', { userId: 'p-twice' });
    const received = await platform.received('session');
    const again = await send('session.create', { userId: 'p-twice' }, { correlationId: 'elsewhere' });
    expect(again.properties).toEqual(
      expectedProperties({
        type: 'session.created',
        id,
        commandType: 'session.create',
        correlationId: 'elsewhere',
      }),
    );
    expect(again.text).toBe(first.text);
    expect(await platform.received('session')).toBe(received);
  });

  it('an id is generated for each delivery without one', async () => {
    const bare = { messageId: undefined };
    const [one, other] = [
      await send('session.create', { userId: 'p-none' }, bare),
      await send('session.create', { userId: 'p-none' }, bare),
    ];
    for (const { headers, messageId } of [one, other]) {
      expect(headers['command-id']).toMatch(UUID);
      expect(messageId).toBe(`${String(headers['command-id'])}:0`);
    }
    expect(one.headers['command-id']).not.toBe(other.headers['command-id']);
    expect(one.body['sessionId']).not.toBe(other.body['sessionId']);
  });

  it('the message id is the default of the correlation id', async () => {
    const reply = caller.repliesTo(id);
    caller.publish('session.create', { userId: 'p-uncorrelated' }, { messageId: id });
    expect(await reply).toMatchObject([{ type: 'session.created', correlationId: id, messageId: `${id}:0` }]);
  });
});
