import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { formatAmount } from '#caller';

import { testBrokerCtl, uniquePrefix } from '../../support/broker.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import { callersForAll, DAY, PATIENT } from './open-callers.ts';

const PAGES = 100;
const TRACE = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };

describe('@poker-bridge/caller', () => {
  const suite = callersForAll({ SANDBOX_REPORT_RECORDS: '200' });

  const delay = (operation: string) =>
    suite.platform.fault({ operation, kind: 'latency', fixedMs: 1_500, count: 1 });
  const waitingIn = async (queue: string) => (await suite.bus.channel.checkQueue(queue)).messageCount;

  it('reads reports page by page, with exact amounts', async () => {
    const { caller, platform } = suite;
    await platform.fault({ operation: 'ad-hoc-report', kind: 'huge-amounts', count: 1 });
    const report = caller.fetchAdHocReport({ ...DAY, perPage: 150 });
    const pages: number[] = [];
    const times: string[] = [];
    for await (const each of report) {
      const { page, records, precisions, readAt } = each;
      pages.push(page);
      times.push(readAt);
      expect(JSON.parse(JSON.stringify(each))).toMatchObject({ page, readAt });
      expect(Object.keys(each)).not.toContain('toJSON');
      const { rake, moneyType, currency } = records[0]!;
      expect([typeof rake, typeof moneyType]).toEqual(['bigint', 'number']);
      expect(formatAmount(rake, precisions[currency]).replace('.', '')).toMatch(new RegExp(`^0*${rake}$`));
      if (page > 1) continue;
      expect(records.some(({ bets }) => bets > 2n ** 53n)).toBe(true);
      expect(JSON.stringify(each)).toContain(`"rake":"${rake}"`);
    }
    expect(pages).toEqual([1, 2]);
    const counts = { pages: 2, records: 200, changedWhileReading: false, repeated: 0, missing: 0 };
    expect(report.summary).toMatchObject({ ...counts, readFrom: times[0], readTo: times[1] });
    expect(times).toEqual(times.map((time) => new Date(time).toISOString()));
  });

  it('reads the records of a report one by one, and only once', async () => {
    const ids = new Set<string>();
    const report = suite.caller.fetchRakeReport({ ...DAY, perPage: 7 });
    for await (const { id, value } of report.records()) {
      expect(typeof value).toBe('bigint');
      ids.add(id);
    }
    expect(ids.size).toBe(report.summary?.records);
    expect(ids.size).toBeGreaterThan(7);
    await expect(report.records().next()).rejects.toThrow('A report can be read once');
  });

  it('opens games, and fails with the error code and the violations of the worker', async () => {
    const { caller } = suite;
    const table = { player: { id: 'bob', nick: 'Bobby' }, session: { id: 's-1', tableId: 7 } };
    const opened = { playerId: 'bob', sessionId: 's-1', url: expect.any(String) };
    expect(await caller.openGame(table)).toMatchObject(opened);
    const id = randomUUID();
    await expect(caller.openGame({ player: { id: 'carl', nick: 'Bobby' } }, { id })).rejects.toMatchObject({
      name: 'CallerError',
      code: 'NICKNAME_TAKEN',
      retryable: false,
      platform: { status: 422 },
      commandId: id,
    });
    const violations = [expect.objectContaining({ pointer: '/userId' })];
    const refused = { code: 'VALIDATION_FAILED', category: 'invalid', retryable: false, violations };
    await expect(caller.createSession({ userId: '' })).rejects.toMatchObject(refused);
    const report = caller.fetchRakeReport({ ...DAY, userId: '' });
    await expect(report.records().next()).rejects.toMatchObject(refused);
  });

  it('retries retryable failures with the same id', async () => {
    const { caller, platform } = suite;
    await platform.fault({ operation: 'session', kind: 'status', status: 503, count: 2 });
    const before = await platform.received('session');
    expect(await caller.createSession({ userId: 'alice' }, PATIENT)).toMatchObject({ userId: 'alice' });
    expect((await platform.received('session')) - before).toBe(3);
  });

  it('slows down the worker while a page is processed', async () => {
    const { caller, platform } = suite;
    const before = await platform.received('ad-hoc-report');
    const received = async () => (await platform.received('ad-hoc-report')) - before;
    const report = caller.fetchAdHocReport({ ...DAY, perPage: 200 / PAGES }, PATIENT);
    let pages = 0;
    for await (const _ of report) {
      pages += 1;
      if (pages > 1) continue;
      await until('the worker waits', async () => {
        const soFar = await received();
        await sleep(300);
        return soFar > 16 && soFar === (await received());
      });
      // Four prefetched here, 16 queued at the broker, and those the worker has read.
      expect(await received()).toBeLessThan(40);
    }
    expect([pages, report.summary?.pages]).toEqual([PAGES, PAGES]);
    // If the broker is busy for a second, the command is sent twice, and the report is then read twice.
    expect(await received()).toBeLessThan(PAGES + 40);
  });

  it('acknowledges a page after the loop body, and deletes the queue of a report', async () => {
    const name = uniquePrefix();
    const queues = async () => {
      const all = await testBrokerCtl('list_queues', '--no-table-headers', 'name', 'messages');
      return all.split('\n').filter((each) => each.startsWith(`${name}.report.`));
    };
    for await (const { page } of suite.callers.open({ name }).fetchAdHocReport({ ...DAY, perPage: 100 })) {
      expect(page).toBe(1);
      // If the broker is busy for a second, the command is sent twice, and then there are more.
      const messages = async () => Number((await queues())[0]?.split('\t')[1]);
      await until('two pages and the end are in the queue', async () => (await messages()) >= 3);
      break;
    }
    expect(await queues()).toEqual([]);
  });

  it('publishes a command with a deadline beyond the longest timer delay', async () => {
    const caller = suite.callers.open();
    const command = caller.prepare('session.create', { userId: 'carl' });
    await expect(caller.publish(command, { deadlineMs: Infinity })).resolves.toBeUndefined();
  });

  it('receives replies to commands sent before a restart', async () => {
    const { callers } = suite;
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

  it('reconnects without losing awaited replies or calling the platform twice', async () => {
    const { callers, platform, service } = suite;
    await using proxy = await TcpProxy.start(service.url);
    const cut = callers.open({ url: [`amqp://127.0.0.1:1`, proxy.through(service.url)] });
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
});
