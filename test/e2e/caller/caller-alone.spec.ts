import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';

import type { CallerOptions, CallEvent } from '#caller';

import { openConnection, type TestConnection, testBrokerUrl, uniquePrefix } from '../../support/broker.ts';
import { openCallers, PATIENT } from './open-callers.ts';

type Reply = readonly [type: string, body: object | string | Buffer, headers?: object];

const CREATED: Reply = ['session.created', { userId: 'p-1' }];
const failed = (code: string, facts: object = {}): Reply => [
  'command.failed',
  {
    code,
    category: 'unavailable',
    retryable: true,
    message: 'A sentence.',
    attempts: 1,
    command: { id: 'c-1', type: 'session.create' },
    occurredAt: new Date().toISOString(),
    ...facts,
  },
];

describe('@poker-bridge/caller and a worker whose replies are scripted', () => {
  const prefix = uniquePrefix();
  const callers = openCallers({ url: testBrokerUrl(), prefix });
  let bus: TestConnection;
  /** The replies to the next commands; the last one is repeated. */
  let script: Reply[] = [];
  let received: { readonly atMs: number; readonly id: string }[] = [];

  beforeAll(async () => {
    bus = await openConnection();
    await bus.channel.assertExchange(`${prefix}.commands`, 'direct');
    await bus.channel.assertQueue(prefix, { exclusive: true });
    await bus.channel.bindQueue(prefix, `${prefix}.commands`, 'session.create');
    await bus.channel.consume(prefix, (command) => command && answer(command), { noAck: true });
  });

  afterAll(async () => {
    await callers[Symbol.asyncDispose]();
    await bus.channel.deleteExchange(`${prefix}.commands`);
    await bus[Symbol.asyncDispose]();
  });

  function answer({ properties }: ConsumeMessage): void {
    const id = String(properties.messageId);
    received.push({ atMs: performance.now(), id });
    const [type, body, headers] = (script.length > 1 ? script.shift() : script[0]) ?? CREATED;
    const content = Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body);
    bus.channel.sendToQueue(String(properties.replyTo), Buffer.from(content as string), {
      type,
      messageId: `${id}:0`,
      correlationId: id,
      headers: { 'command-id': id, sequence: 0, final: true, ...headers },
    });
  }

  function open(replies: Reply[], options: Partial<CallerOptions> = {}) {
    [script, received] = [replies, []];
    const events: CallEvent[] = [];
    return { caller: callers.open({ onCall: (event) => events.push(event), ...options }), events };
  }

  it('is not stopped by a message that it cannot read, and fails only the call that this belongs to', async () => {
    const deep = `{"userId":"p-1","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const odd: Reply[] = [
      ['session.created', { userId: 'p-1' }, { sequence: 'x' }],
      ['session.created', deep],
      ['session.created', Buffer.from([0x22, 0xff, 0x22])],
      ['command.failed', {}],
      ['session.created', '{"userId":1234567890123456789}', { 'command-id': { toString: 1, valueOf: 2 } }],
    ];
    const unreadable: unknown[] = [];
    const { caller } = open([...odd, CREATED], { onUnreadable: (error) => unreadable.push(error) });
    for (const _ of odd) {
      const call = caller.createSession({ userId: 'p-1' }, PATIENT);
      await expect(call).rejects.toMatchObject({ code: 'REPLY_UNREADABLE', retryable: false });
    }
    expect(await caller.createSession({ userId: 'p-1' }, PATIENT)).toEqual({ userId: 'p-1' });
    expect([unreadable.length, received.length]).toEqual([odd.length, odd.length + 1]);
    expect(await bus.channel.checkQueue(caller.replyQueue)).toMatchObject({ messageCount: 0 });
  });

  it('sends a command again no earlier than retryAfterMs, and reports it to onCall', async () => {
    const { caller, events } = open([failed('OVERLOADED', { retryAfterMs: 1_200 }), CREATED]);
    await caller.createSession({ userId: 'p-1' }, { ...PATIENT, id: 'c-1' });
    const [first, second] = received;
    expect(second!.atMs - first!.atMs).toBeGreaterThanOrEqual(1_200);
    const call = { type: 'session.create', commandId: 'c-1' };
    expect(events).toMatchObject([
      { ...call, outcome: 'retrying', attempts: 1, code: 'OVERLOADED', pauseMs: expect.any(Number) },
      { ...call, outcome: 'succeeded', attempts: 2, code: undefined, durationMs: expect.any(Number) },
    ]);
  });

  it.each<[string, object, object]>([
    ['its option switches retries off', { retry: false }, {}],
    ['the code is to fail fast', { retry: { failFastOn: ['CIRCUIT_OPEN'] } }, {}],
    ['the caller switches retries off', {}, { retry: false }],
    ['the deadline is before retryAfterMs', { deadlineMs: 20_000 }, {}],
  ])('fails a call at once if %s', async (_, options, ofCaller) => {
    const { caller, events } = open([failed('CIRCUIT_OPEN', { retryAfterMs: 30_000 })], ofCaller);
    const call = caller.createSession({ userId: 'p-1' }, { ...PATIENT, ...options });
    await expect(call).rejects.toMatchObject({ code: 'CIRCUIT_OPEN', retryAfterMs: 30_000 });
    expect(received).toHaveLength(1);
    expect(events).toMatchObject([{ outcome: 'failed', code: 'CIRCUIT_OPEN', attempts: 1 }]);
  });
});
