import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeAll, afterAll, describe, expect, it, jest } from '@jest/globals';
import type { Options } from 'amqplib';

import { healthy } from '../../support/platform-answers.ts';
import { answerJson, type PlatformBehaviour } from '../../support/platform-stub.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';

jest.setTimeout(20_000);

/** How late an answer may be. Source: bus contract, section 5. */
const TOLERANCE_MS = 1_000;
const BUDGET_MS = 900;
const PERIOD = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00', perPage: 1 };

const silent: PlatformBehaviour = () => undefined;
const dripping: PlatformBehaviour = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/vnd.api+json' });
  const timer = setInterval(() => response.write(' '), 50);
  response.on('close', () => clearInterval(timer));
};
const isoWithZone = (atMs: number) => new Date(atMs + 2 * 3_600_000).toISOString().replace('Z', '+02:00');

describe('the deadline of a command', () => {
  let service: ServiceUnderTest;
  beforeAll(async () => {
    service = await ServiceUnderTest.start({
      behaviour: silent,
      variables: {
        INTERACTIVE_DEADLINE_MS: String(BUDGET_MS),
        PLATFORM_ATTEMPT_TIMEOUT_MS: '10000',
        CIRCUIT_MINIMUM_CALLS: '1000',
      },
    });
    await service.worker();
  });
  afterEach(() => {
    service.platform.requests.length = 0;
  });
  afterAll(() => service[Symbol.asyncDispose]());

  /** Sends a command and looks at its answer: what it says, and how long after `deadlineAtMs` it came. */
  const sendUntil = async (
    deadlineAtMs: number,
    options: Options.Publish = {},
    data: object = { userId: 'p-1' },
  ) => {
    const type = 'dateFrom' in data ? 'report.rake.fetch' : 'session.create';
    const replies = await service.caller.send(type, data, options);
    const lateMs = Date.now() - deadlineAtMs;
    expect(lateMs).toBeLessThanOrEqual(TOLERANCE_MS);
    return { replies, body: replies.at(-1)?.body, lateMs };
  };

  it.each([
    ['epoch milliseconds', (atMs: number) => atMs],
    ['epoch milliseconds in a string', (atMs: number) => String(atMs)],
    ['ISO 8601', (atMs: number) => new Date(atMs).toISOString()],
    ['ISO 8601 in another zone', isoWithZone],
  ])('is kept where the platform never answers: %s', async (_, write) => {
    service.platform.behaviour = silent;
    const deadlineAtMs = Date.now() + 500;
    const { body, lateMs } = await sendUntil(deadlineAtMs, {
      headers: { 'x-deadline': write(deadlineAtMs) },
    });
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(body).toMatchObject({
      code: 'COMMAND_EXPIRED',
      category: 'expired',
      retryable: false,
      details: { called: true },
      attempts: 1,
    });
    expect(service.platform.requests).toHaveLength(1);
  });

  it('is kept where the answer drips', async () => {
    service.platform.behaviour = dripping;
    const deadlineAtMs = Date.now() + 500;
    const { body } = await sendUntil(deadlineAtMs, { headers: { 'x-deadline': deadlineAtMs } });
    expect(body).toMatchObject({ code: 'COMMAND_EXPIRED', details: { called: true } });
  });

  it("is the lane's budget from receipt where the command has none", async () => {
    service.platform.behaviour = silent;
    const { body, lateMs } = await sendUntil(Date.now() + BUDGET_MS);
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(body).toMatchObject({ code: 'COMMAND_EXPIRED', details: { called: true } });
  });

  it("is the lane's budget from the moment of sending where that is given", async () => {
    const longAgo = Math.floor(Date.now() / 1000) - 10;
    const { body } = await sendUntil(Date.now(), { timestamp: longAgo });
    expect(body).toMatchObject({ code: 'COMMAND_EXPIRED', details: { called: false }, attempts: 0 });
    expect(service.platform.requests).toHaveLength(0);
  });

  it('has passed when the command is read', async () => {
    const { body } = await sendUntil(Date.now(), { headers: { 'x-deadline': Date.now() - 1 } });
    expect(body).toMatchObject({ code: 'COMMAND_EXPIRED', details: { called: false }, attempts: 0 });
    expect(service.platform.requests).toHaveLength(0);
  });

  it('covers every page of a report', async () => {
    service.platform.behaviour = (request, response, socket) =>
      request.url.searchParams.get('page') === '3'
        ? silent(request, response, socket)
        : healthy(4)(request, response, socket);
    const deadlineAtMs = Date.now() + 700;
    const { replies, body } = await sendUntil(
      deadlineAtMs,
      { headers: { 'x-deadline': deadlineAtMs } },
      PERIOD,
    );
    expect(replies.map(({ type, headers }) => [type, headers['sequence']])).toEqual([
      ['report.page', 0],
      ['report.page', 1],
      ['command.failed', 2],
    ]);
    expect(body).toMatchObject({ code: 'COMMAND_EXPIRED', details: { called: true }, attempts: 3 });
  });

  it('is kept for everything that is in hand at once', async () => {
    service.platform.behaviour = silent;
    const deadlineAtMs = Date.now() + 1_000;
    const all = Array.from({ length: 64 }, () =>
      sendUntil(deadlineAtMs, { headers: { 'x-deadline': deadlineAtMs } }),
    );
    for (const { body } of await Promise.all(all))
      expect(body).toMatchObject({ code: 'COMMAND_EXPIRED', details: { called: true } });
  });

  it('ends the attempts at once where the platform asks to wait beyond it', async () => {
    service.platform.behaviour = (_request, response) => {
      response.setHeader('retry-after', '30');
      answerJson(response, 429, { errors: [] });
    };
    const startedAtMs = Date.now();
    const { body } = await sendUntil(startedAtMs + BUDGET_MS);
    expect(Date.now() - startedAtMs).toBeLessThan(BUDGET_MS);
    expect(body).toMatchObject({ code: 'RATE_LIMITED', retryable: true, retryAfterMs: 30_000, attempts: 1 });
  });

  it('is not followed by anything that comes late', async () => {
    service.platform.behaviour = async (request, response, socket) => {
      await sleep(500);
      await healthy(1)(request, response, socket);
    };
    const before = service.caller.received.length;
    const deadlineAtMs = Date.now() + 200;
    await sendUntil(deadlineAtMs, { headers: { 'x-deadline': deadlineAtMs } }, PERIOD);
    await sleep(700);
    expect(service.caller.received.slice(before).map(({ type }) => type)).toEqual(['command.failed']);
  });
});

describe('a worker with one connection to the platform', () => {
  it('answers in time also what waits for the connection, and refuses what has no place', async () => {
    await using service = await ServiceUnderTest.start({
      behaviour: silent,
      variables: { PLATFORM_CONNECTIONS: '1', PLATFORM_QUEUE: '1', REPORTS_RETRY_DELAYS_MS: '300' },
    });
    const worker = await service.worker();
    const deadlineAtMs = Date.now() + 1_500;
    const options = { headers: { 'x-deadline': deadlineAtMs } };
    const first = service.caller.send('session.create', { userId: 'first' }, options);
    await until('it is under way', () => service.platform.requests.length === 1);
    const second = service.caller.send('session.create', { userId: 'second' }, options);
    await until('it waits', async () => (await worker.metric('poker_commands_in_flight')) === 2);
    const [third] = await service.caller.send('session.create', { userId: 'third' }, options);
    expect(third?.body).toMatchObject({
      code: 'OVERLOADED',
      category: 'unavailable',
      retryable: true,
      attempts: 0,
    });

    const replies = (await Promise.all([first, second])).flat();
    expect(Date.now() - deadlineAtMs).toBeLessThanOrEqual(TOLERANCE_MS);
    expect(replies.map(({ body }) => [body['code'], body['details']])).toEqual([
      ['COMMAND_EXPIRED', { called: true }],
      ['COMMAND_EXPIRED', { called: false }],
    ]);
    expect(service.platform.requests).toHaveLength(1);
  });
});
