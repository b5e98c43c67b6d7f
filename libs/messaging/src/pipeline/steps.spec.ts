import { describe, expect, it } from '@jest/globals';

import { busNames, COMMAND_TYPES, CommandError, type ErrorBody, type Reply, SessionCreate } from '#contracts';
import { Window } from '#resilience';

import { commandOf, RECEIVED_AT_MS } from '../command/command.fixture.ts';
import { SpecCallers } from '../envelope/envelope-rules.fixture.ts';
import { MemoryIdempotencyStore } from '../idempotency/memory-idempotency-store.ts';
import type { MessagingObserver } from '../observer/messaging-observer.ts';
import type { ReplySender } from '../replies/reply-sender.ts';
import { InterruptedRuns } from './interrupted-runs.ts';
import { failureOf, type Settlement } from './settlement.ts';
import { chain } from './step.ts';
import { stepsOf } from './steps.ts';
import type { CommandHandler } from './steps/invoke.ts';

type Facts = NonNullable<Parameters<typeof commandOf>[0]>;

const CREATED: Reply = {
  type: 'session.created',
  data: { userId: 'p-1', sessionId: 's-1', auth: 'a', redirectUrl: 'https://play.example' },
};

const NOBODY: readonly string[] = [];

const RAKE = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00' };

/** Runs a command through all steps; every type has the same handler. */
function settle(
  facts: Facts,
  handler: CommandHandler = () => Promise.resolve(CREATED),
  types: readonly string[] = COMMAND_TYPES,
): Promise<Settlement> {
  const nowMs = () => RECEIVED_AT_MS;
  const steps = stepsOf({
    names: busNames('poker'),
    deliveryLimit: 5,
    retryDelaysMs: [5_000, 30_000],
    handlers: new Map(types.map((type) => [type, handler])),
    hasOperator: (name) => name === 'default',
    window: new Window(10, 5_000, nowMs),
    callers: new SpecCallers((caller) => caller !== 'stranger'),
    idempotency: new MemoryIdempotencyStore(60_000, nowMs),
    interrupted: new InterruptedRuns(),
    replies: {} as ReplySender,
    observer: {} as MessagingObserver,
    nowMs,
  });
  return chain(steps)(commandOf(facts));
}

async function errorOf(facts: Facts, types = COMMAND_TYPES as readonly string[]): Promise<ErrorBody> {
  const error = failureOf(await settle(facts, undefined, types));
  if (!error) throw new Error('the command was found valid');
  return error;
}

/** Each fault with its code, in the order in which they are told. */
const FAULTS: [code: string, facts: Facts][] = [
  ['MALFORMED_MESSAGE', { body: [] }],
  ['UNSUPPORTED_VERSION', { headers: { 'schema-version': 2 } }],
  ['UNKNOWN_COMMAND', { properties: { type: 'no.such.command' } }],
  ['REPLY_TO_MISSING', { properties: { replyTo: undefined } }],
  ['UNKNOWN_OPERATOR', { headers: { operator: 'casino' } }],
  ['CALLER_FORBIDDEN', { properties: { userId: 'stranger' } }],
  ['VALIDATION_FAILED', { body: {} }],
];

describe('the steps', () => {
  it('give the handler of a valid command its data as an instance of its class, and answer with its reply', async () => {
    let given: unknown;
    const settlement = await settle({ body: { userId: 'p-1', lang: 'de' } }, (data) => {
      given = data;
      return Promise.resolve(CREATED);
    });
    expect(settlement).toEqual({ kind: 'answer', reply: CREATED });
    expect(given).toBeInstanceOf(SessionCreate);
    expect(given).toEqual(Object.assign(new SessionCreate(), { userId: 'p-1', lang: 'de' }));
  });

  it('postpone a report that cannot be had now, and not the command of a player', async () => {
    const unavailable = () => Promise.reject(new CommandError('PLATFORM_UNAVAILABLE'));
    const report = { queue: 'poker.reports', properties: { type: 'report.rake.fetch' }, body: RAKE };
    expect(await settle(report, unavailable)).toMatchObject({
      kind: 'postpone',
      delayMs: 5_000,
      failure: { code: 'PLATFORM_UNAVAILABLE' },
      copy: { queue: 'poker.reports.retry.5000', headers: { 'x-postponed': 1, 'x-sequence': 0 } },
    });
    expect(await settle({}, unavailable)).toMatchObject({ kind: 'answer' });
  });

  it('dead-letter a report that would wait past its deadline', async () => {
    const headers = { 'x-deadline': RECEIVED_AT_MS + 4_000 };
    const report = { queue: 'poker.reports', properties: { type: 'report.rake.fetch' }, body: RAKE, headers };
    const settlement = await settle(report, () => Promise.reject(new CommandError('PLATFORM_UNAVAILABLE')));
    expect(settlement).toMatchObject({
      kind: 'dead-letter',
      reply: { data: { code: 'PLATFORM_UNAVAILABLE' } },
    });
  });

  it('dead-letter what a person must look at, and nothing that ends by itself', async () => {
    expect(await settle({ body: {} })).toMatchObject({ kind: 'dead-letter' });
    expect(await settle({}, () => Promise.reject(new Error('ours')))).toMatchObject({ kind: 'dead-letter' });
    const conflict = () => Promise.reject(new CommandError('NICKNAME_TAKEN'));
    expect(await settle({}, conflict)).toMatchObject({ kind: 'answer' });
  });

  it.each(FAULTS)('refuse with %s', async (code, facts) => {
    expect(await errorOf(facts)).toMatchObject({ code, category: 'invalid', retryable: false });
  });

  it.each(FAULTS.map(([code], index) => [code, FAULTS.slice(index).map(([, facts]) => facts)] as const))(
    'tell %s before every fault that comes after it',
    async (code, all) => {
      // The earlier fault wins if two of them need the same member.
      const merged = all.reduceRight<Facts>(
        (later, facts) => ({
          ...later,
          ...facts,
          properties: { ...later.properties, ...facts.properties },
          headers: { ...later.headers, ...facts.headers },
        }),
        {},
      );
      expect((await errorOf(merged)).code).toBe(code);
    },
  );

  it.each([
    ['too large', { body: { nick: 'x'.repeat(70_000) } }, 'MESSAGE_TOO_LARGE'],
    [
      'answered to the service itself',
      { properties: { replyTo: 'poker.interactive' } },
      'REPLY_TO_FORBIDDEN',
    ],
    ['of a type that only the prototype has', { properties: { type: 'constructor' } }, 'UNKNOWN_COMMAND'],
    [
      'an event of Nest',
      { properties: { replyTo: undefined }, body: { pattern: 'session.create', data: {} } },
      'REPLY_TO_MISSING',
    ],
    ['for an empty operator name', { headers: { operator: '' } }, 'UNKNOWN_OPERATOR'],
    ['a packet without data', { body: { pattern: 'session.create', id: 'n-1' } }, 'VALIDATION_FAILED'],
  ])('refuse a command that is %s', async (_, facts, code) => {
    expect((await errorOf(facts)).code).toBe(code);
  });

  it('tell of an operator that is no text as of any fault, and of an unknown one before all others', async () => {
    const headers = { 'x-deadline': 'tomorrow' };
    expect((await errorOf({ headers: { operator: 7 } })).code).toBe('VALIDATION_FAILED');
    expect((await errorOf({ headers: { ...headers, operator: 'casino' } })).code).toBe('UNKNOWN_OPERATOR');
  });

  it('know the types that have handlers, and no other', async () => {
    expect((await errorOf({}, NOBODY)).code).toBe('UNKNOWN_COMMAND');
  });

  it('tell the faults of properties, headers and data at once', async () => {
    const error = await errorOf({
      properties: { messageId: 'x'.repeat(201) },
      headers: { operator: 7, 'x-deadline': 'tomorrow', 'schema-version': '1' },
      body: { userId: '', nickname: 'Lucky' },
    });
    expect(error.code).toBe('VALIDATION_FAILED');
    expect(error.violations?.map(({ pointer }) => pointer).sort()).toEqual([
      '/headers/operator',
      '/headers/schema-version',
      '/headers/x-deadline',
      '/nickname',
      '/properties/message_id',
      '/userId',
    ]);
  });

  it('refuse valid data whose headers are not', async () => {
    expect((await errorOf({ headers: { 'x-deadline': 'tomorrow' } })).violations).toHaveLength(1);
  });

  it('refuse a member named __proto__ like any other that is unknown', async () => {
    const error = await errorOf({ body: Buffer.from('{"userId":"p-1","__proto__":{"nick":"x"}}') });
    expect(error.violations?.map(({ pointer }) => pointer)).toEqual(['/__proto__']);
  });
});
