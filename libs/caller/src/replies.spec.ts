import { setImmediate } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';
import fc from 'fast-check';

import { failure, message } from './message.fixture.ts';
import { PageStream } from './report.ts';
import { type Mailbox, Replies, type ReplyHandler } from './replies.ts';
import { parseExactJson, readReply, type ReplyDelivery } from './reply.ts';

describe('readReply', () => {
  it('gives each failure of a resent command its own id', () => {
    const [first, second] = ['2026-01-31T12:00:00.000Z', '2026-01-31T12:00:01.000Z'].map(
      (at) => readReply(message('command.failed', failure('OVERLOADED', at))).id,
    );
    expect(first).not.toBe(second);
  });

  const deep = (prefix: string) =>
    `{"userId":"p-1","x":${prefix}${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  const odd: readonly (readonly [string, string | Buffer | object, object?])[] = [
    ...['{', '{"a":1234567890123456', '5', 'null', '', '[]', '{"userId":5}'].map(
      (body) => [body, body] as const,
    ),
    ['100,000 arrays', deep('')],
    ['100,000 arrays and a long integer', deep('[1234567890123456789],"y":')],
    ['bytes that are not UTF-8', Buffer.from('{"userId":"\xff"}', 'latin1')],
    ...['x', -1, 1.5, null, {}].map(
      (sequence) => [`sequence ${sequence}`, { userId: 'p-1' }, { sequence }] as const,
    ),
  ];

  it.each(odd)('rejects %s', (...[, body, headers]) => {
    expect(() => readReply(message('session.created', body, headers))).toThrow(
      expect.objectContaining({ code: 'REPLY_UNREADABLE', commandId: 'c-1' }),
    );
  });
});

/** Valid replies, to be made invalid by generated changes. */
const VALID = {
  'session.created': { userId: 'p-1' },
  'game.opened': { url: 'https://example' },
  'report.page': { page: 1, totalCount: 1, readAt: '2026', records: [{ id: 'r-1', win: 5 }], precisions: {} },
  'report.completed': { totalCount: 1, changedWhileReading: false, readFrom: '2026', readTo: '2026' },
  'command.failed': failure('OVERLOADED'),
};
const longInteger = fc.bigInt({ min: 2n ** 53n, max: 2n ** 80n });
const anything = fc.oneof(fc.anything(), fc.constantFrom({ toString: 1, valueOf: 2 }, Number.NaN));
const arbitraryMessage = fc
  .record({
    type: fc.constantFrom(...(Object.keys(VALID) as (keyof typeof VALID)[])),
    member: fc.string(),
    text: fc.oneof(
      fc.json(),
      longInteger.map(String),
      longInteger.map((one) => `[{"win":${one},"x":[${one}]}]`),
    ),
    properties: fc.record(
      { messageId: anything, type: anything, correlationId: anything },
      { requiredKeys: [] },
    ),
    headers: fc.record({ 'command-id': anything, sequence: anything, final: anything }, { requiredKeys: [] }),
    body: fc.option(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
    pick: fc.nat(),
  })
  .map(({ type, member, text, properties, headers, body, pick }) => {
    const names = [...Object.keys(VALID[type]), member];
    const changed = { ...VALID[type], [names[pick % names.length]!]: 'CHANGED' };
    const one = message(type, body ?? JSON.stringify(changed).replace('"CHANGED"', () => text));
    Object.assign(one.properties, properties);
    Object.assign(one.properties.headers!, headers);
    return one;
  });

describe('the readers of replies', () => {
  it('acknowledge every message, fail only with a CallerError, and return data valid in JSON', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryMessage, async (one) => {
        const unreadable: unknown[] = [];
        const handler: ReplyHandler = (reply) => void JSON.stringify(reply);
        expect(await taken(new Replies(handler, (error) => unreadable.push(error)), one)).toBe(
          'acknowledged',
        );
        const stream = new PageStream();
        const acknowledged = stream.push({ message: one, acknowledge: () => undefined });
        const call = {
          next: async (arrived: Mailbox<ReplyDelivery>, read: (each: ReplyDelivery) => unknown) =>
            read(await arrived.next(never)),
        };
        const pages = stream.read(call as never);
        const first = pages.next().then(JSON.stringify, (error: unknown) => error);
        // A reply to another command is discarded, and the report waits for its own.
        const result = await Promise.race([first, acknowledged.then(() => setImmediate())]);
        if (result instanceof Error) expect(result).toMatchObject({ name: 'CallerError' });
        if (unreadable.length > 0) expect(result).toMatchObject({ code: 'REPLY_UNREADABLE' });
      }),
      { numRuns: 500, endOnFailure: true },
    );
  });
});

describe('parseExactJson', () => {
  it('reads every integer with all its digits', () => {
    fc.assert(
      fc.property(fc.bigInt(), (integer) => {
        const [read] = parseExactJson(`[${integer}]`) as [number | bigint];
        expect(String(read)).toBe(String(integer));
      }),
    );
  });

  it('reads everything else like JSON.parse, even next to a long integer', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const [long, read] = parseExactJson(`[1234567890123456789,${text}]`) as [unknown, unknown];
        expect(long).toBe(1_234_567_890_123_456_789n);
        // A double can also represent some integers beyond 2^53. A clone has no toJSON.
        expect(
          JSON.stringify(structuredClone(read), (_name, member) =>
            typeof member === 'bigint' ? Number(member) : member,
          ),
        ).toBe(text);
      }),
    );
  });

  it.each([
    ['"12345678901234567890"', '12345678901234567890'],
    [String.raw`"\"a\":12345678901234567890,"`, '"a":12345678901234567890,'],
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['12345678901234567890.5', 12345678901234567000],
    ['0.12345678901234567890', 0.12345678901234568],
    ['1.5e-1234567890123456', 0],
    ['{"a":-12345678901234567890}', { a: -12345678901234567890n }],
  ])('reads %s', (text, expected) => {
    expect(parseExactJson(text)).toEqual(expected);
  });
});

const never = new AbortController().signal;
const created = (commandId: string) => message('session.created', { userId: 'p-1' }, { commandId });

/** Processes one message, and returns whether it was acknowledged or requeued. */
function taken(replies: Replies, one: ConsumeMessage): Promise<'acknowledged' | 'requeued'> {
  return new Promise((resolve) => {
    const acknowledge = (): void => resolve('acknowledged');
    replies.take({ message: one, acknowledge }).catch(() => resolve('requeued'));
  });
}

function handled(handler?: ReplyHandler) {
  const seen: string[] = [];
  const replies = new Replies(async (reply) => {
    seen.push(reply.commandId);
    await handler?.(reply);
  });
  return { replies, seen };
}

describe('Replies', () => {
  it('passes a reply to its call, even if it arrives before the call waits for it', async () => {
    const { replies, seen } = handled();
    const [early, late] = [replies.expect('early'), replies.expect('late')];
    expect(await taken(replies, created('early'))).toBe('acknowledged');
    const waiting = late.next(never);
    expect(await taken(replies, created('late'))).toBe('acknowledged');
    expect([(await early.next(never)).commandId, (await waiting).commandId]).toEqual(['early', 'late']);
    expect(seen).toEqual([]);
  });

  it('passes each failure to a call that resends, although the failures share a message id', async () => {
    const awaited = handled().replies;
    const call = awaited.expect('c-1');
    for (const at of ['12:00:00', '12:00:00', '12:00:01']) {
      await taken(awaited, message('command.failed', failure('OVERLOADED', at)));
      expect((await call.next(never)).data).toMatchObject({ occurredAt: at });
    }
  });

  it('passes replies that no call awaits to the handler, each once', async () => {
    const { replies, seen } = handled();
    replies.expect('c-1');
    await taken(replies, created('c-1'));
    replies.forget('c-1');
    for (const id of ['c-1', 'c-2', 'c-2', 'c-3'])
      expect(await taken(replies, created(id))).toBe('acknowledged');
    expect(seen).toEqual(['c-2', 'c-3']);
  });

  it('passes amounts beyond 2^53 to the handler, which JSON.stringify writes as strings', async () => {
    const text =
      '{"page":1,"totalCount":1,"readAt":"","records":[{"id":"r","win":9007199254740993,"x":[1,-9007199254740993]}]}';
    const written: string[] = [];
    const { replies } = handled((reply) => void written.push(JSON.stringify(reply)));
    expect(await taken(replies, message('report.page', text))).toBe('acknowledged');
    const records = [{ id: 'r', win: '9007199254740993', x: [1, '-9007199254740993'] }];
    expect(JSON.parse(written[0]!)).toMatchObject({ type: 'report.page', data: { records } });
  });

  it('passes a reply to the handler again after the handler has failed', async () => {
    const { replies, seen } = handled(() => {
      if (seen.length === 1) throw new Error('no database');
    });
    expect(await taken(replies, created('c-1'))).toBe('requeued');
    expect(await taken(replies, created('c-1'))).toBe('acknowledged');
    expect(seen).toEqual(['c-1', 'c-1']);
  });

  it('doubles the pause after each handler failure, up to a minute, and resets it after a success', async () => {
    const pausesMs: number[] = [];
    const rejected = (times: number) => Array.from({ length: times }, () => 'requeued');
    const outcomes = [...rejected(8), 'acknowledged', ...rejected(1)];
    let calls = 0;
    const replies = new Replies(
      () => {
        if (outcomes[calls++] === 'requeued') throw new Error('no database');
      },
      undefined,
      async (ms) => void pausesMs.push(ms),
    );
    const seen: string[] = [];
    for (const id of [...outcomes.slice(1).map(() => 'c-1'), 'c-2'])
      seen.push(await taken(replies, created(id)));
    expect(seen).toEqual(outcomes);
    expect(pausesMs.map((ms) => ms / 1_000)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 1]);
  });

  it('delays at most 32 replies for more than a second, so that calls receive their replies', async () => {
    const pausesMs: number[] = [];
    const pause = (ms: number) => (
      pausesMs.push(ms),
      ms > 1_000 ? new Promise(() => undefined) : Promise.resolve()
    );
    const handler = () => Promise.reject(new Error('no database'));
    const replies = new Replies(handler, undefined, pause);
    const ids = Array.from({ length: 40 }, (_, index) => `c-${index}`);
    for (const id of ids) await taken(replies, created(id));
    for (const id of ids) void taken(replies, created(id));
    await setImmediate();
    expect(pausesMs.filter((ms) => ms > 1_000)).toHaveLength(32);
  });

  it('discards unawaited and unreadable replies', async () => {
    expect(await taken(new Replies(), created('c-1'))).toBe('acknowledged');
    const unreadable: unknown[] = [];
    const replies = new Replies(undefined, (error) => {
      unreadable.push(error);
      throw new Error('a warning of the process');
    });
    const waiting = replies.expect('c-1').next(never);
    const failed = waiting.catch((error: unknown) => error);
    expect(await taken(replies, message('session.created', '{'))).toBe('acknowledged');
    expect(await failed).toMatchObject({ code: 'REPLY_UNREADABLE' });
    expect(unreadable).toMatchObject([{ code: 'REPLY_UNREADABLE', commandId: 'c-1' }]);
  });

  it('makes every call resend its command when the queue is lost', async () => {
    const { replies } = handled();
    const lost = replies.expect('c-1').next(never);
    replies.lose();
    await expect(lost).rejects.toMatchObject({ code: 'REPLY_LOST', retryable: true });
  });
});
