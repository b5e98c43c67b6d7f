import { expect, it } from '@jest/globals';

import { testBrokerUrl, uniquePrefix } from '../../support/broker.ts';
import { openCallers, PATIENT } from './open-callers.ts';
import { startScriptedWorker } from './scripted-worker.ts';

type Reply = readonly [type: string, body: string | Buffer, headers?: object];

const CREATED: Reply = ['session.created', '{"userId":"p-1"}'];

it('@poker-bridge/caller acknowledges an unreadable reply and fails only the call that it belongs to', async () => {
  const deep = `{"userId":"p-1","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  const odd: Reply[] = [
    ['session.created', '{"userId":"p-1"}', { sequence: 'x' }],
    ['session.created', deep],
    ['session.created', Buffer.from([0x22, 0xff, 0x22])],
    ['command.failed', '{}'],
    ['session.created', '{"userId":1234567890123456789}', { 'command-id': { toString: 1, valueOf: 2 } }],
  ];
  const script = [...odd, CREATED];
  let received = 0;
  const prefix = uniquePrefix();
  await using worker = await startScriptedWorker(prefix, async ({ properties }) => {
    received += 1;
    const [type, body, headers] = script.shift() ?? CREATED;
    const id = String(properties.messageId);
    const own = { 'command-id': id, sequence: 0, final: true, ...headers };
    const sent = { type, messageId: `${id}:0`, correlationId: id, headers: own };
    return [{ content: Buffer.from(body), properties: sent as never }];
  });
  await using callers = openCallers({ url: testBrokerUrl(), prefix });
  const unreadable: unknown[] = [];
  const caller = callers.open({ onUnreadable: (error) => unreadable.push(error) });
  for (const _ of odd) {
    const call = caller.createSession({ userId: 'p-1' }, PATIENT);
    await expect(call).rejects.toMatchObject({ code: 'REPLY_UNREADABLE', retryable: false });
  }
  expect(await caller.createSession({ userId: 'p-1' }, PATIENT)).toEqual({ userId: 'p-1' });
  expect({ unreadable: unreadable.length, received }).toEqual({
    unreadable: odd.length,
    received: odd.length + 1,
  });
  expect(await worker.channel.checkQueue(caller.replyQueue)).toMatchObject({ messageCount: 0 });
});
