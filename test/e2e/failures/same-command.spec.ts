import { randomUUID } from 'node:crypto';

import { afterEach, describe, expect, it } from '@jest/globals';
import type { Options } from 'amqplib';

import type { ReceivedReply } from '../../support/bus-caller.ts';
import { answerJson, type PlatformBehaviour, sessionDocument } from '../../support/platform-stub.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

const SESSION = { userId: 'p-1', nick: 'Ada', lang: 'en' };

/** Returns a platform with distinct answers, so that a replay can be distinguished from a second call. */
function numbered(): PlatformBehaviour {
  let calls = 0;
  return (_request, response) => {
    const text = JSON.stringify(sessionDocument('p-1'));
    answerJson(response, 200, text.replaceAll('auth-', `auth-${(calls += 1)}-`));
  };
}

describe('the same command twice', () => {
  const service = serviceForAll({ behaviour: numbered(), workers: 1 });
  afterEach(() => {
    service.platform.behaviour = numbered();
    service.platform.requests.length = 0;
  });

  const send = (
    type: string,
    body: unknown,
    messageId: string,
    options: Options.Publish = {},
  ): Promise<ReceivedReply> => {
    const replies = service.caller.send(type, body, { messageId, ...options });
    const last = replies.then((all) => all.at(-1) as ReceivedReply);
    // If the test has failed, nothing awaits this promise.
    last.catch(() => undefined);
    return last;
  };

  it('gets a stored expiry if the platform was called, and the late answer is discarded', async () => {
    const gate = service.hold(numbered());
    const id = randomUUID();
    const deadlineAtMs = Date.now() + 2_500;
    const first = await send('session.create', SESSION, id, { headers: { 'x-deadline': deadlineAtMs } });
    gate.open();
    expect(Date.now()).toBeGreaterThanOrEqual(deadlineAtMs);
    expect(first.body).toMatchObject({ code: 'COMMAND_EXPIRED', details: { called: true }, attempts: 1 });
    expect((await send('session.create', SESSION, id)).text).toBe(first.text);
    expect(service.platform.requests).toHaveLength(1);
    const ofCommand = service.caller.received.filter(({ headers }) => headers['command-id'] === id);
    expect(ofCommand.map(({ type }) => type)).toEqual(['command.failed', 'command.failed']);
  });

  it.each([
    ['other data', 'session.create', { ...SESSION, nick: 'Bob' }],
    ['another type', 'game.open', { player: { id: 'p-1' } }],
  ])('is a conflict with %s, while the first command is in flight and afterwards', async (_, type, data) => {
    const gate = service.hold(numbered());
    const id = randomUUID();
    const first = send('session.create', SESSION, id);
    await until('it is in flight', () => gate.held === 1);
    const during = await send(type, data, id);
    gate.open();
    const answered = await first;
    const after = await send(type, data, id);
    for (const conflict of [during, after]) {
      expect(conflict.body).toMatchObject({
        code: 'IDEMPOTENCY_CONFLICT',
        category: 'invalid',
        retryable: false,
        attempts: 0,
      });
      expect(conflict.messageId).toMatch(new RegExp(`^${id}:conflict:[0-9a-f]{16}$`));
    }
    expect(after.messageId).toBe(during.messageId);
    // The first command keeps its own reply.
    expect(answered).toMatchObject({ type: 'session.created', messageId: `${id}:0` });
    expect((await send('session.create', SESSION, id)).text).toBe(answered.text);
    expect(service.platform.requests).toHaveLength(1);
    await until('both lie in the dead letters', async () => (await service.depth('dead-letters')) === 2);
    for (const { properties } of await service.deadLetters())
      expect(properties.headers).toMatchObject({ 'x-reason': 'IDEMPOTENCY_CONFLICT' });
  });

  it('does not wait for the first command beyond its own deadline', async () => {
    const gate = service.hold(numbered());
    const id = randomUUID();
    const first = send('session.create', SESSION, id);
    await until('it is in flight', () => gate.held === 1);
    const second = await send('session.create', SESSION, id, { headers: { 'x-deadline': Date.now() + 400 } });
    expect(second.body).toMatchObject({ code: 'COMMAND_EXPIRED', details: { called: false } });
    gate.open();
    expect((await first).type).toBe('session.created');
  });
});
