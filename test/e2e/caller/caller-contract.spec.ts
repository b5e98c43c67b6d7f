import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import type { BusReply, Caller, CallerOptions, CallEvent } from '#caller';
import { type Answer, createTestCaller, fail, SILENCE } from '#caller/testing';

import { Script } from '../../../libs/caller/src/testing/script.ts';
import { testBrokerUrl, uniquePrefix } from '../../support/broker.ts';
import { until } from '../../support/until.ts';
import { DAY, openCallers, PATIENT } from './open-callers.ts';
import { startScriptedWorker } from './scripted-worker.ts';

type Options = Partial<CallerOptions>;
type Scripted = Pick<Script, 'received'> & { readonly caller: Caller; readonly script: Script['set'] };

const ALICE = { userId: 'alice' };
const BEYOND = 9_007_199_254_740_993n;

/** Opens a caller over RabbitMQ; the worker follows the script of the most recently opened caller. */
function overRabbitmq() {
  const prefix = uniquePrefix();
  const callers = openCallers({ url: testBrokerUrl(), prefix });
  let worker: AsyncDisposable | undefined;
  let script = new Script();
  beforeAll(async () => {
    worker = await startScriptedWorker(prefix, (command) => script.repliesTo(command));
  });
  afterAll(async () => {
    await callers[Symbol.asyncDispose]();
    await worker?.[Symbol.asyncDispose]();
  });
  return (options: Options): Scripted => {
    script = new Script();
    const { received } = script;
    return { caller: callers.open(options), received, script: script.set.bind(script) };
  };
}

function withoutBroker() {
  const callers: Caller[] = [];
  afterEach(() => Promise.all(callers.splice(0).map((caller) => caller.close())));
  return (options: Options): Scripted => {
    const caller = createTestCaller(options);
    callers.push(caller);
    return { caller, received: caller.received as Script['received'], script: caller.script.bind(caller) };
  };
}

describe.each([
  ['over RabbitMQ', overRabbitmq],
  ['without a broker', withoutBroker],
])('a caller %s', (_, opener) => {
  const openScripted = opener();

  function open(options: Options = {}) {
    const events: CallEvent[] = [];
    return { events, ...openScripted({ onCall: (event) => events.push(event), ...options }) };
  }

  it('sends commands and returns the data of their replies', async () => {
    const { caller, received, script } = open({ operator: 'acme' });
    script('game.open', { url: 'https://poker.example/lobby' });
    const game = await caller.openGame({ player: { id: 'alice', nick: undefined } }, { id: 'g-1' });
    expect(game).toMatchObject({ playerId: 'alice', url: 'https://poker.example/lobby' });
    expect(await caller.createSession(ALICE)).toMatchObject(ALICE);
    expect(received).toMatchObject([
      { id: 'g-1', type: 'game.open', data: { player: { id: 'alice' } }, operator: 'acme', attempt: 1 },
      { type: 'session.create', data: ALICE },
    ]);
  });

  it("fails with the worker's error", async () => {
    const { caller, script } = open();
    const violations = [{ pointer: '/userId', message: 'must be a string' }];
    script('session.create', fail('VALIDATION_FAILED', { violations }));
    await expect(caller.createSession(ALICE, { id: 'c-1' })).rejects.toMatchObject({
      name: 'CallerError',
      code: 'VALIDATION_FAILED',
      category: 'invalid',
      retryable: false,
      violations,
      commandId: 'c-1',
      answer: { command: { id: 'c-1', type: 'session.create' } },
    });
  });

  it('retries a command after at least retryAfterMs, and reports the retry to onCall', async () => {
    const { caller, events, received, script } = open();
    const times: number[] = [];
    const timed =
      <T>(answer: T) =>
      () => {
        times.push(performance.now());
        return answer;
      };
    script('session.create', timed(fail('OVERLOADED', { retryAfterMs: 1_200 })), timed({}));
    await caller.createSession(ALICE, { ...PATIENT, id: 'c-1' });
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(1_200);
    expect(received.map(({ id, attempt }) => [id, attempt])).toEqual([
      ['c-1', 1],
      ['c-1', 2],
    ]);
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
  ])('fails a call at once if %s', async (_reason, options, ofCaller) => {
    const { caller, events, received, script } = open(ofCaller);
    script('session.create', fail('CIRCUIT_OPEN', { retryAfterMs: 30_000 }));
    const call = caller.createSession(ALICE, { ...PATIENT, ...options });
    await expect(call).rejects.toMatchObject({ code: 'CIRCUIT_OPEN', retryAfterMs: 30_000 });
    expect(received).toHaveLength(1);
    expect(events).toMatchObject([{ outcome: 'failed', code: 'CIRCUIT_OPEN', attempts: 1 }]);
  });

  it('sends one request for concurrent calls of the same command and id', async () => {
    const { caller, events, received, script } = open();
    script('session.create', async () => {
      await sleep(300);
      return { sessionId: `s-${received.length}` };
    });
    const id = 'joined';
    const call = () => caller.createSession({ userId: 'alice', nick: 'Ace' }, { ...PATIENT, id });
    const same = () => caller.createSession({ nick: 'Ace', userId: 'alice' }, { ...PATIENT, id });
    const sessions = Promise.all([call(), same(), call()]);
    const another = caller.createSession({ userId: 'bob' }, { ...PATIENT, id });
    await expect(another).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT', commandId: id });
    const otherType = caller.openGame({ player: { id: 'alice' } }, { ...PATIENT, id });
    await expect(otherType).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT', retryable: false });
    const otherOperator = caller.createSession({ userId: 'alice', nick: 'Ace' }, { id, operator: 'acme' });
    await expect(otherOperator).rejects.toMatchObject({ code: 'ID_IN_USE' });
    expect((await sessions).map(({ sessionId }) => sessionId)).toEqual(['s-1', 's-1', 's-1']);
    expect(received).toHaveLength(1);
    expect(events.filter(({ outcome }) => outcome === 'succeeded')).toHaveLength(3);
    await call();
    expect(received).toHaveLength(2);
  });

  it.each<[string, () => object, Answer<'session.create'>]>([
    ['is aborted', () => ({ signal: AbortSignal.timeout(200) }), SILENCE],
    ['reaches its deadline', () => ({ deadlineMs: 1 }), SILENCE],
    ['expires at the worker', () => ({}), fail('COMMAND_EXPIRED', { details: { called: false } })],
    ['retries nothing', () => ({ retry: false }), fail('OVERLOADED')],
  ])('continues the other calls of an id if the call that sent it %s', async (_reason, options, answer) => {
    const { caller, received, script } = open();
    await caller.ready();
    script('session.create', answer, {});
    const first = caller.createSession(ALICE, { id: 'shared', ...options() });
    const second = caller.createSession(ALICE, { id: 'shared', ...PATIENT });
    await expect(first).rejects.toThrow();
    expect(await second).toMatchObject(ALICE);
    expect(received).toHaveLength(2);
  });

  it('ends a joined call at its own deadline and by its own signal', async () => {
    const { caller, script } = open();
    script('session.create', SILENCE);
    const long = caller.createSession(ALICE, { ...PATIENT, id: 'long' });
    const late = caller.createSession(ALICE, { id: 'long', deadlineMs: 1 });
    const reason = new Error('the player has left');
    const left = caller.createSession(ALICE, { id: 'long', signal: AbortSignal.abort(reason) });
    await expect(left).rejects.toBe(reason);
    await expect(late).rejects.toMatchObject({ code: 'NO_REPLY', retryable: true });
    const [closed] = await Promise.allSettled([long, caller.close()]);
    expect(closed).toMatchObject({ reason: { code: 'CALLER_CLOSED' } });
  });

  it('reads a report page by page, with exact amounts', async () => {
    const { caller, events, script } = open();
    const pages = [[{ id: 'a', value: BEYOND }, { value: 5n }], [{ userId: 'bob' }]];
    script('report.rake.fetch', { pages, summary: { changedWhileReading: true } });
    const report = caller.fetchRakeReport(DAY);
    const read: string[] = [];
    for await (const { page, pageCount, records } of report)
      read.push(
        `${page} of ${pageCount}: ${JSON.stringify(records.map(({ id, value }) => [id, `${value}`]))}`,
      );
    expect(read).toEqual([`1 of 2: [["a","${BEYOND}"],["record-2","5"]]`, '2 of 2: [["record-3","0"]]']);
    expect(report.summary).toMatchObject({ pages: 2, records: 3, totalCount: 3, changedWhileReading: true });
    expect(events).toMatchObject([{ outcome: 'succeeded', type: 'report.rake.fetch' }]);
    await expect(report.records().next()).rejects.toThrow('A report can be read once');
  });

  it('continues a report after the last page if it is sent again', async () => {
    const { caller, received, script } = open();
    const pages = [[{ id: 'a' }], [{ id: 'b' }], [{ id: 'c' }]];
    const failure = fail('OVERLOADED');
    script('report.ad-hoc.fetch', { pages: pages.slice(0, 2), failure }, { pages });
    const ids: string[] = [];
    for await (const { id } of caller.fetchAdHocReport(DAY).records()) ids.push(id);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(received).toHaveLength(2);
  });

  it('ends a report when its loop breaks', async () => {
    const { caller, events, script } = open();
    script('report.rake.fetch', { pages: [[{}], [{}]] });
    const report = caller.fetchRakeReport(DAY);
    for await (const { page } of report) if (page === 1) break;
    expect(report.summary).toBeUndefined();
    expect(events).toMatchObject([{ outcome: 'failed', code: undefined }]);
  });

  it('passes replies to prepared commands to onReply, and again after the handler has failed', async () => {
    const replies: BusReply[] = [];
    const { caller, script } = open({
      onReply: (reply) => {
        replies.push(reply);
        if (replies.length === 1) throw new Error('no database');
      },
    });
    await caller.ready();
    script('report.rake.fetch', { pages: [[{ value: BEYOND }]] });
    await caller.publish(caller.prepare('report.rake.fetch', DAY, { id: 'r-1' }));
    await until('all replies are handled', () => replies.length >= 3);
    const page = { type: 'report.page', commandId: 'r-1', sequence: 0, isFinal: false };
    const times = replies.filter(({ type }) => type === 'report.page').length;
    expect({ times, last: replies.some(({ isFinal }) => isFinal) }).toEqual({ times: 2, last: true });
    expect(replies[0]).toMatchObject(page);
    expect(JSON.stringify(replies)).toContain(`"value":"${BEYOND}"`);
  });
});

describe('a caller without a broker', () => {
  it.each(['NO_WORKER', 'INSTANCE_TAKEN'] as const)('fails with the scripted error %s', async (code) => {
    await using caller = createTestCaller().script('game.open', fail(code));
    await expect(caller.openGame({ player: { id: 'alice' } })).rejects.toMatchObject({ code });
  });

  it('answers with a function of the command', async () => {
    await using caller = createTestCaller().script('session.create', ({ data }) =>
      data.userId === 'alice' ? {} : fail('PLAYER_NOT_FOUND'),
    );
    expect(await caller.createSession(ALICE)).toMatchObject(ALICE);
    await expect(caller.createSession({ userId: 'bob' })).rejects.toMatchObject({ code: 'PLAYER_NOT_FOUND' });
  });
});
