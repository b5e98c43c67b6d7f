import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { beforeEach, describe, expect, it } from '@jest/globals';

import { Gate, healthy, PAGED_DAY } from '../../support/platform-answers.ts';
import type { PlatformRequest } from '../../support/platform-stub.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import type { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';

const RECORDS = 6;
/** The page that the platform has not answered when the connections are cut. */
const HELD_PAGE = 4;
/** The number of prefetched pages. */
const HELD_PAGES = RECORDS - HELD_PAGE + 1;
/** The time from the platform's answer until the reply is being sent. */
const SENT_MS = 200;
/** Long enough for a busy machine to read the page within it. */
const BUDGET_MS = 3_000;

const service = serviceForAll({ behaviour: healthy(), workers: 1 });
let id: string;

beforeEach(() => {
  id = randomUUID();
  service.platform.requests.length = 0;
  service.caller.received.length = 0;
});

const report = (headers = {}) =>
  service.caller.send('report.rake.fetch', PAGED_DAY, { messageId: id, headers });

describe('a report whose connections are cut', () => {
  it('continues after its last confirmed page under the same ids, and reports a changed total', async () => {
    const { caller, platform, proxy } = service;
    const gate = new Gate();
    platform.behaviour = (request, ...rest) => {
      const behaviour = pageOf(request) < HELD_PAGE ? healthy(RECORDS) : gate.behind(healthy(RECORDS + 1));
      return behaviour(request, ...rest);
    };
    const sent = report();
    const arrived = () => caller.received.length === HELD_PAGE - 1;
    await until('all pages before it have come', () => gate.held === HELD_PAGES && arrived());
    proxy.cut();
    await until('it is delivered again', () => gate.held === HELD_PAGES + 1);
    gate.open();

    const replies = new Map((await sent).map((reply) => [reply.messageId, reply]));
    expect([...replies.keys()]).toEqual(Array.from({ length: RECORDS + 2 }, (_, at) => `${id}:${at}`));
    expect(replies.get(`${id}:${RECORDS + 1}`)?.body).toMatchObject({
      pages: RECORDS + 1,
      records: RECORDS + 1,
      changedWhileReading: true,
    });
    expect(platform.requests.map(pageOf).filter((page) => page === 1)).toHaveLength(1);
  });
});

describe('a report whose final reply is not confirmed', () => {
  it.each<[string, number, (proxy: TcpProxy) => void]>([
    ['its connections are cut', 1, (proxy) => proxy.cut()],
    [
      'it is, after the connection that consumes was cut',
      2,
      (proxy) => {
        proxy.cut(-1);
        proxy.resume();
      },
    ],
  ])('gets that reply again, without being read again, if %s', async (_, times, breakThem) => {
    // The worker's first connection publishes; the previous worker has acknowledged everything.
    const worker = await service.restart();
    const { caller, platform, proxy } = service;
    const gate = service.hold();
    const sent = report();
    await until('the platform is asked', () => gate.held === 1);
    proxy.stall(0);
    gate.open();
    await until('it is decided', async () => (await worker.metric('poker_platform_requests_total')) === 1);
    await sleep(SENT_MS);
    breakThem(proxy);
    await sent;
    await until('it is answered', async () => (await worker.metric('poker_commands_total')) === times);
    await until('all replies have come', () => caller.received.length >= times);

    expect(caller.received.map(({ type, messageId }) => [type, messageId])).toEqual(
      Array.from({ length: times }, () => ['report.completed', `${id}:0`]),
    );
    expect(platform.requests).toHaveLength(1);
  });
});

describe('a page in flight to the broker at the deadline of its report', () => {
  it('has a sequence number of its own, and the final reply has the next', async () => {
    await service.restart();
    const gate = service.hold(healthy(3));
    const deadlineAtMs = Date.now() + BUDGET_MS;
    const sent = report({ 'x-deadline': deadlineAtMs });
    await until('it is in flight', () => gate.held === 1);
    service.proxy.stall(0);
    gate.open();
    await sleep(deadlineAtMs - Date.now() + 300);
    service.proxy.resume();

    // An unconfirmed reply may arrive again, under the same number.
    const replies = new Map(
      (await sent).map(({ type, messageId, body }) => [messageId, [type, body['code']]]),
    );
    expect([...replies]).toEqual([
      [`${id}:0`, ['report.page', undefined]],
      [`${id}:1`, ['command.failed', 'COMMAND_EXPIRED']],
    ]);
  });
});

function pageOf({ url }: PlatformRequest): number {
  return Number(url.searchParams.get('page'));
}
