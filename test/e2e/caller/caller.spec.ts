import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { type Caller, formatAmount } from '#caller';

import { openConnection, testBrokerCtl, type TestConnection, uniquePrefix } from '../../support/broker.ts';
import type { SandboxControl } from '../../support/sandbox-control.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import { type SandboxedService, startSandboxedService } from '../commands/sandboxed-service.ts';
import { OpenCallers } from './open-callers.ts';

const DAY = { dateFrom: '2026-01-02 00:00:00', dateTo: '2026-01-03 00:00:00' };
const PAGES = 100;
const TRACE = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };
/** Longer than any wait: what ends a call sooner is what its test is about. */
const PATIENT = { deadlineMs: 600_000 };

describe('@poker-bridge/caller', () => {
  let sandboxed: SandboxedService;
  let platform: SandboxControl;
  let bus: TestConnection;
  let callers: OpenCallers;
  let caller: Caller;

  beforeAll(async () => {
    sandboxed = await startSandboxedService({
      sandbox: { SANDBOX_REPORT_RECORDS: '200' },
      worker: { PLATFORM_MAX_ATTEMPTS: '1', CURRENCY_PRECISIONS: 'EUR=2,USD=4,BTC=8' },
    });
    ({ platform } = sandboxed);
    bus = await openConnection();
    callers = new OpenCallers(sandboxed.service);
    caller = callers.open({ sendUserId: true });
  });
  afterEach(async () => {
    await platform.clearFaults();
  });
  afterAll(async () => {
    await callers?.[Symbol.asyncDispose]();
    await bus?.[Symbol.asyncDispose]();
    await sandboxed?.[Symbol.asyncDispose]();
  });

  const delay = (operation: string) =>
    platform.fault({ operation, kind: 'latency', fixedMs: 1_500, count: 1 });
  const waitingIn = async (queue: string) => (await bus.channel.checkQueue(queue)).messageCount;

  it('creates sessions and opens games', async () => {
    const session = await caller.createSession({ userId: 'alice', lang: 'de' });
    expect(session).toMatchObject({ userId: 'alice', redirectUrl: expect.stringContaining('lang=de') });
    const table = { player: { id: 'alice' }, session: { id: 's-1', tableId: 7 } };
    const game = await caller.openGame(table, { deadlineMs: 10_000, operator: 'default' });
    expect(game).toMatchObject({ playerId: 'alice', sessionId: 's-1', url: expect.any(String) });
  });

  it('reads reports page by page, amounts digit for digit', async () => {
    await platform.fault({ operation: 'ad-hoc-report', kind: 'huge-amounts', count: 1 });
    const report = caller.fetchAdHocReport({ ...DAY, perPage: 150 });
    const pages: number[] = [];
    for await (const { page, records, precisions } of report) {
      pages.push(page);
      const { rake, moneyType, currency } = records[0]!;
      expect([typeof rake, typeof moneyType]).toEqual(['bigint', 'number']);
      expect(formatAmount(rake, precisions[currency]).replace('.', '')).toMatch(new RegExp(`^0*${rake}$`));
      if (page === 1) expect(records.some(({ bets }) => bets > 2n ** 53n)).toBe(true);
    }
    expect(pages).toEqual([1, 2]);
    expect(report.summary).toMatchObject({ pages: 2, records: 200, changedWhileReading: false });
  });

  it('reads the records of a report one by one', async () => {
    const ids = new Set<string>();
    const report = caller.fetchRakeReport({ ...DAY, perPage: 7 });
    for await (const { id, value } of report.records()) {
      expect(typeof value).toBe('bigint');
      ids.add(id);
    }
    expect(ids.size).toBe(report.summary?.records);
    expect(ids.size).toBeGreaterThan(7);
  });

  it('fails with the code of the worker', async () => {
    await caller.openGame({ player: { id: 'bob', nick: 'Bobby' } });
    const id = randomUUID();
    await expect(caller.openGame({ player: { id: 'carl', nick: 'Bobby' } }, { id })).rejects.toMatchObject({
      name: 'CallerError',
      code: 'NICKNAME_TAKEN',
      retryable: false,
      platform: { status: 422 },
      commandId: id,
    });
  });

  it('refuses bad data before anything is sent', async () => {
    const offline = callers.open({ url: 'amqp://127.0.0.1:1' });
    const violations = [expect.objectContaining({ pointer: '/userId' })];
    const refused = { code: 'VALIDATION_FAILED', violations };
    await expect(offline.createSession({ userId: '' })).rejects.toMatchObject(refused);
    expect(() => offline.fetchRakeReport({ ...DAY, userId: '' })).toThrow(expect.objectContaining(refused));
  });

  it('sends again under the same id what is retryable', async () => {
    await platform.fault({ operation: 'session', kind: 'status', status: 503, count: 2 });
    const before = await platform.received('session');
    expect(await caller.createSession({ userId: 'alice' }, PATIENT)).toMatchObject({ userId: 'alice' });
    expect((await platform.received('session')) - before).toBe(3);
  });

  it('slows the worker down while a page is read', async () => {
    const before = await platform.received('ad-hoc-report');
    const received = async () => (await platform.received('ad-hoc-report')) - before;
    const report = caller.fetchAdHocReport({ ...DAY, perPage: 200 / PAGES }, PATIENT);
    let pages = 0;
    for await (const _ of report) {
      pages += 1;
      if (pages > 1) continue;
      await until('the worker waits', async () => {
        const soFar = await received();
        await sleep(1_000);
        return soFar > 16 && soFar === (await received());
      });
      // 4 under way to this process, 16 at the broker, and what the worker holds.
      expect(await received()).toBeLessThan(40);
    }
    expect([pages, report.summary?.pages, await received()]).toEqual([PAGES, PAGES, PAGES]);
  });

  it('acknowledges no page before the body of its loop has ended, and leaves a report', async () => {
    const name = uniquePrefix();
    for await (const { page } of callers.open({ name }).fetchAdHocReport({ ...DAY, perPage: 100 })) {
      expect(page).toBe(1);
      break;
    }
    const waiting = await until('two pages and the end are in the queue', async () => {
      const queues = await testBrokerCtl('list_queues', '--no-table-headers', 'name', 'messages');
      const rows = queues.split('\n').map((row) => row.split('\t'));
      return rows.find(([queue, count]) => queue!.startsWith(`${name}.report.`) && count === '3');
    });
    await bus.channel.deleteQueue(waiting[0]!);
  });

  it('finds replies to what was sent before a restart', async () => {
    const { inbox: first, replies: none } = callers.collecting({ instance: 'restarted' });
    await delay('session');
    const options = { traceContext: TRACE };
    const command = JSON.parse(JSON.stringify(first.prepare('session.create', { userId: 'dora' }, options)));
    await first.publish(command);
    await first.close();
    await until('the reply waits', async () => (await waitingIn(first.replyQueue)) === 1);
    const { inbox: second, replies } = callers.collecting({ instance: 'restarted' });
    expect(second.replyQueue).toBe(first.replyQueue);
    await until('the reply is handled', () => replies.length > 0);
    expect(replies).toMatchObject([
      { type: 'session.created', commandId: command.id, data: { userId: 'dora' }, ...TRACE },
    ]);
    expect(none).toEqual([]);
  });

  it('hands a reply that is repeated to the handler once', async () => {
    const { inbox, replies } = callers.collecting();
    await inbox.ready();
    const reply = (sequence: number, messageId: string) =>
      bus.channel.sendToQueue(inbox.replyQueue, Buffer.from('{"userId":"p-1"}'), {
        type: 'session.created',
        messageId,
        headers: { 'command-id': 'c-1', sequence, final: true },
      });
    for (const id of ['c-1:0', 'c-1:0', 'c-1:1', 'c-1:0']) reply(0, id);
    reply(0, 'last');
    await until('the last is handled', () => replies.at(-1)?.id.startsWith('last'));
    expect(replies.map(({ id }) => id.split(' ')[0])).toEqual(['c-1:0', 'c-1:1', 'last']);
  });

  it('reconnects without losing what is awaited, and without a second call', async () => {
    await using proxy = await TcpProxy.start(sandboxed.service.url);
    const cut = callers.open({ url: [`amqp://127.0.0.1:1`, proxy.through(sandboxed.service.url)] });
    await cut.ready();
    const before = await platform.received('session');
    await delay('session');
    const session = cut.createSession({ userId: 'erna' }, PATIENT);
    await until('the platform is called', async () => (await platform.received('session')) > before);
    proxy.cut();
    expect(await session).toMatchObject({ userId: 'erna' });
    expect((await platform.received('session')) - before).toBe(1);

    const report = cut.fetchAdHocReport({ ...DAY, perPage: 10 }, PATIENT);
    const pages: number[] = [];
    for await (const { page } of report) {
      pages.push(page);
      if (page === 5) proxy.cut();
    }
    expect(pages).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    await cut.close();
  });

  it('ends a call at its deadline, by its signal, and when it is closed', async () => {
    const { proxy } = sandboxed.service;
    const leaving = new AbortController();
    const leaver = callers.open();
    proxy.stall();
    const calls = [
      caller.createSession({ userId: 'alice' }, { deadlineMs: 1 }),
      callers.open({ url: 'amqp://127.0.0.1:1' }).createSession({ userId: 'alice' }, { deadlineMs: 1 }),
      caller.createSession({ userId: 'alice' }, { signal: leaving.signal }),
      leaver.createSession({ userId: 'alice' }),
    ];
    const settled = Promise.allSettled(calls);
    leaving.abort(new Error('the player has left'));
    await leaver.close();
    const reasons = (await settled).map((one) => (one as PromiseRejectedResult).reason);
    proxy.resume();
    expect(reasons).toMatchObject([
      { code: 'NO_REPLY', retryable: true },
      { code: 'NOT_SENT', message: expect.stringContaining('ECONNREFUSED') },
      { message: 'the player has left' },
      { code: 'CALLER_CLOSED' },
    ]);
  });

  it('says at once that nobody is bound, or that the broker refuses the command', async () => {
    const empty = uniquePrefix();
    await bus.channel.assertExchange(`${empty}.commands`, 'direct');
    for (const prefix of [uniquePrefix(), empty]) {
      const lost = callers.open({ prefix });
      const nobody = { code: 'NO_WORKER', retryable: false };
      await expect(lost.createSession({ userId: 'alice' }, PATIENT)).rejects.toMatchObject(nobody);
      await expect(lost.fetchRakeReport(DAY, PATIENT).records().next()).rejects.toMatchObject(nobody);
    }
    await bus.channel.deleteExchange(`${empty}.commands`);

    const { properties, ...command } = caller.prepare('session.create', { userId: 'alice' });
    const forged = { ...command, properties: { ...properties, userId: 'somebody' } };
    await expect(caller.publish(forged, PATIENT)).rejects.toMatchObject({ code: 'NOT_PERMITTED' });
  });

  it('does not share a reply queue with another process', async () => {
    await caller.ready();
    const instance = caller.replyQueue.slice(`${callers.name}.replies.`.length);
    const second = callers.open({ instance });
    await until('it says why', () => second.lastError?.includes('another process consumes'));
    await second.close();
  });
});
