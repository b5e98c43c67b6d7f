import { setImmediate as turn } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { CommandError, type Reply } from '#contracts';
import { UnconfirmedError } from '#rabbitmq';

import type { DeliveryFacts } from '../../../rabbitmq/src/consuming/delivery.fixture.ts';
import { CheckedCommand } from '../command/command.ts';
import { commandOf, copiedCommandOf } from '../command/command.fixture.ts';
import { RECEIVED_AT_MS } from '../envelope/bus.fixture.ts';
import { CREATED, SpecPipeline } from './pipeline.fixture.ts';

const failing = (error: Error) => async () => {
  throw error;
};
const answered = ([, what]: readonly [string, string]) => what;

/** A command that the broker has delivered `times` times before. */
const delivered = (times: number) => ({ redelivered: true, headers: { 'x-delivery-count': times } });

/** Each fault with its code, in the order of the checks. */
const FAULTS: [code: string, facts: DeliveryFacts][] = [
  ['MALFORMED_MESSAGE', { body: [] }],
  ['UNSUPPORTED_VERSION', { headers: { 'schema-version': 2 } }],
  ['UNKNOWN_COMMAND', { properties: { type: 'no.such.command' } }],
  ['REPLY_TO_MISSING', { properties: { replyTo: undefined } }],
  ['CALLER_FORBIDDEN', { properties: { userId: 'stranger' } }],
  ['UNKNOWN_OPERATOR', { headers: { operator: 'casino' } }],
  ['VALIDATION_FAILED', { body: {} }],
];

it.each(FAULTS.map(([code], index) => [code, FAULTS.slice(index).map(([, facts]) => facts)] as const))(
  'a command is refused with %s before every fault that comes after it',
  async (code, all) => {
    // The earlier fault wins if two of them need the same member.
    const merged = all.reduceRight<DeliveryFacts>(
      (later, facts) => ({
        ...later,
        ...facts,
        properties: { ...later.properties, ...facts.properties },
        headers: { ...later.headers, ...facts.headers },
      }),
      {},
    );
    const { published, end } = await new SpecPipeline().process(merged);
    const reason = published.find(([to]) => to === 'poker.dead-letters')?.[1];
    expect([end, reason]).toEqual(['acknowledged', code]);
  },
);

describe('a command', () => {
  it('moves to quarantine at its fourth delivery, even if that queue has to be redeclared', async () => {
    const spec = new SpecPipeline();
    spec.answers.set('poker.quarantine', 'returned');
    const { published, end } = await spec.process(delivered(3));
    expect([published.map(([to]) => to), end]).toEqual([['poker.quarantine'], 'acknowledged']);
  });

  it.each([
    ['delivered for the third time', delivered(2)],
    ['not delivered before, whatever its caller wrote', { ...delivered(9), redelivered: false }],
  ])('stays if it is %s', async (_, facts) => {
    expect((await new SpecPipeline().process(facts)).published).toEqual([['lobby', 'session.created']]);
  });
});

describe("a player's command", () => {
  it('is answered after its outcome is stored', async () => {
    const spec = new SpecPipeline();
    const { promise, resolve } = Promise.withResolvers<Reply>();
    spec.store = {
      claim: () => ({ kind: 'claimed', settle: () => promise, release: () => undefined }),
    };
    const processed = spec.process();
    await turn();
    expect(spec.messages).toEqual([]);
    // Another worker stored an outcome first.
    resolve({ ...CREATED, data: { ...CREATED.data, auth: 'standing' } } as Reply);
    expect((await processed).published).toEqual([['lobby', 'session.created']]);
    expect(String(spec.messages[0]?.content)).toContain('standing');
    expect(spec.told.filter(([method]) => method === 'commandReplayed')).toHaveLength(1);
  });

  it('runs again once for each time that an operator redrives it', async () => {
    const spec = new SpecPipeline();
    spec.handler = failing(new Error('a fault of ours'));
    await spec.process();
    spec.handler = () => Promise.resolve(CREATED);
    expect((await spec.process()).published).toContainEqual(['lobby', 'INTERNAL_ERROR']);
    const { message } = copiedCommandOf({ headers: { 'x-redriven': 1 } }).delivery;
    const redriven = { headers: message.properties.headers ?? {} };
    expect((await spec.process(redriven)).published).toEqual([['lobby', 'session.created']]);
    spec.handler = failing(new Error('it would run twice'));
    expect((await spec.process(redriven)).published).toEqual([['lobby', 'session.created']]);
  });

  it.each([
    ['a command error', new CommandError('NICKNAME_TAKEN'), 'NICKNAME_TAKEN', false],
    ['an unavailable platform', new CommandError('PLATFORM_UNAVAILABLE'), 'PLATFORM_UNAVAILABLE', false],
    ['anything else', Object.assign(new Error('CANARY'), { code: 'NOT_FOUND' }), 'INTERNAL_ERROR', true],
  ])('fails with %s, and is dead-lettered only if a person has to look', async (_, thrown, code, isKept) => {
    const spec = new SpecPipeline();
    spec.handler = failing(thrown);
    const { published } = await spec.process();
    expect(published).toContainEqual(['lobby', code]);
    expect(published.some(([to]) => to === 'poker.dead-letters')).toBe(isKept);
    expect(String(spec.messages.map(({ content }) => content))).not.toContain('CANARY');
  });

  it('is OVERLOADED if its compartment is stuck and holds its share, unless it repeats another one', async () => {
    const spec = new SpecPipeline();
    const gate = Promise.withResolvers<typeof CREATED>();
    spec.handler = () => gate.promise;
    const send = (messageId: string, body?: object) =>
      spec.process({ properties: { messageId }, ...(body && { body }) });
    const held = Array.from({ length: 8 }, (_, index) => send(`held-${index}`));
    await turn();
    spec.nowMs += 5_001;
    expect((await send('new')).published).toContainEqual(['lobby', 'OVERLOADED']);
    expect((await send('held-1', { userId: 'other' })).published).toContainEqual([
      'lobby',
      'IDEMPOTENCY_CONFLICT',
    ]);
    const repeats = Array.from({ length: 4 }, () => send('held-0'));
    expect((await send('held-0')).published).toContainEqual(['lobby', 'OVERLOADED']);
    gate.resolve(CREATED);
    await Promise.all([...held, ...repeats]);
    expect(spec.told.filter(([method]) => method === 'commandReplayed')).toHaveLength(4);
    expect(spec.window.holdings.get('session.create default')).toMatchObject({ inFlight: 0, overflowed: 2 });
    // A redelivery gets the same reply, even if the lane has room by then.
    const again = await spec.process({ properties: { messageId: 'new' }, redelivered: true });
    expect(again.published).toContainEqual(['lobby', 'OVERLOADED']);
  });

  it('is parked after a second if its queue is full, and at once if that is known or no queue exists', async () => {
    const spec = new SpecPipeline();
    const settledAfterMs = async (messageId: string): Promise<number> => {
      const { nowMs } = spec;
      await spec.process({ properties: { messageId } });
      return spec.nowMs - nowMs;
    };
    spec.answers.set('lobby', 'refused');
    expect([await settledAfterMs('a'), await settledAfterMs('b')]).toEqual([1_500, 300]);
    spec.answers.clear();
    expect(await settledAfterMs('taken')).toBe(0);
    spec.answers.set('lobby', 'refused');
    expect(await settledAfterMs('refused again')).toBe(1_500);
    // The refusal is remembered for five seconds of the steady clock.
    spec.nowMs += 5_000;
    spec.setBackMs = 3_600_000;
    expect(await settledAfterMs('later')).toBe(1_500);
    spec.nowMs += 5_000;
    spec.answers.set('lobby', 'returned');
    expect(await settledAfterMs('c')).toBe(300);
    const parked = spec.messages.filter(({ routingKey }) => routingKey === 'poker.replies.undelivered');
    expect(parked.map(({ properties }) => properties.headers['x-reason'])).toEqual([
      'REPLY_QUEUE_FULL',
      'REPLY_QUEUE_FULL',
      'REPLY_QUEUE_FULL',
      'REPLY_QUEUE_FULL',
      'REPLY_QUEUE_GONE',
    ]);
  });

  it('is requeued if one of its messages is not confirmed', async () => {
    const spec = new SpecPipeline();
    spec.handler = failing(new UnconfirmedError('no broker'));
    expect(await spec.process()).toMatchObject({ end: 'requeued', published: [] });
  });

  it('expires without a call if its deadline has already passed', async () => {
    const spec = new SpecPipeline();
    spec.handler = failing(new Error('ran too late'));
    const { published } = await spec.process({ headers: { 'x-deadline': RECEIVED_AT_MS - 1 } });
    expect(published).toEqual([
      ['lobby', 'COMMAND_EXPIRED'],
      ['poker.events', 'command.failed.COMMAND_EXPIRED'],
    ]);
  });
});

describe('a delivery during which a part of the worker fails', () => {
  it('is requeued if nothing was decided, and is answered when it is redelivered', async () => {
    const spec = new SpecPipeline();
    spec.failsAt = 'commandTaken';
    expect(await spec.process()).toMatchObject({ end: 'requeued', published: [] });
    spec.failsAt = undefined;
    expect((await spec.process()).published.map(answered)).toEqual(['session.created']);
  });

  it.each([
    ['before it is decided', 'commandTaken', 'requeued'],
    ['after it was acknowledged', 'commandReleased', 'acknowledged'],
  ] as const)('is reported with its id and the error, if that is thrown %s', async (_, failsAt, expected) => {
    const spec = new SpecPipeline();
    spec.failsAt = failsAt;
    expect((await spec.process()).end).toBe(expected);
    const reported = spec.told.filter(([method]) => method === 'pipelineFailed');
    const error = { message: 'a part has failed', stack: expect.any(String) };
    expect(reported).toMatchObject([['pipelineFailed', { id: 'm-1' }, error]]);
  });

  it('closes all tails even if one of them throws, those before the checks as well', async () => {
    const opened = commandOf();
    const checked = new CheckedCommand(opened, {}, {}, () => Promise.resolve());
    const closed: number[] = [];
    for (const [index, command] of [opened, opened, checked].entries()) {
      command.atEnd(() => {
        closed.push(index);
        throw new Error(`tail ${index}`);
      });
    }
    expect(() => checked.end({ kind: 'return', cause: undefined })).toThrow('tail 2');
    expect(closed).toEqual([2, 1, 0]);
  });

  it('parks up to 16 MiB of announcements that a full listener refuses, and drops further ones', async () => {
    const spec = new SpecPipeline();
    spec.handler = failing(new CommandError('NICKNAME_TAKEN', { details: { body: 'x'.repeat(2 ** 20) } }));
    spec.answers.set('command.failed.NICKNAME_TAKEN', 'refused');
    const outcomes = [];
    for (let n = 0; n < 17; n += 1) {
      const { published } = await spec.process({ properties: { messageId: `m-${n}` } });
      outcomes.push(published.some(([to]) => to === 'poker.replies.undelivered'));
    }
    expect(outcomes.filter((isParked) => isParked)).toHaveLength(15);
    expect(spec.told.filter(([method]) => method === 'announcementDropped')).toHaveLength(2);
  });

  it('is answered if it cannot be read, and dead-lettered with a reason but without an operator', async () => {
    const spec = new SpecPipeline();
    const headers = Object.defineProperty({ operator: 'acme' }, 'x-deadline', {
      get: () => {
        throw new Error('CANARY');
      },
    });
    const { published, end } = await spec.process({ headers });
    expect(end).toBe('acknowledged');
    expect(published).toEqual([
      ['lobby', 'INTERNAL_ERROR'],
      ['poker.events', 'command.failed.INTERNAL_ERROR'],
      ['poker.dead-letters', 'INTERNAL_ERROR'],
    ]);
    expect(spec.messages.map(({ content }) => String(content)).join()).not.toContain('CANARY');
    // If it is redriven unchanged, it must not run with the credentials of `default`.
    expect(spec.messages.at(-1)?.properties.headers).toHaveProperty('operator', '');
  });
});
