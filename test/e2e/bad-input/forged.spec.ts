import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Options } from 'amqplib';

import { healthy } from '../../support/platform-answers.ts';
import { answerJson } from '../../support/platform-stub.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../../scripts/processes/worker-process.ts';
import { Witness } from './witness.ts';

const RAKE = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00', perPage: 1 };
const LONGEST_LOG_LINE = 4_000;

/** Every header that the service or the broker writes, with values that would have an effect if they were believed. */
const FORGED = {
  'x-death': [{ count: 99, queue: 'poker.reports', reason: 'rejected', exchange: '', 'routing-keys': ['a'] }],
  'x-first-death-queue': 'poker.reports',
  'x-delivery-count': 99,
  'x-quarantine-starts': 99,
  'x-postponed': 99,
  'x-sequence': 7,
  'x-redriven': 3,
  'x-seal': 'AAAA',
  'x-progress': '{"pages":1,"records":500,"firstTotal":2,"changedWhileReading":true}',
  'x-publish-id': '1',
  'x-reason': 'NOT_FOUND',
  'x-failed-at': 'never',
  'x-failure': 'forged',
  'x-origin-queue': 'elsewhere',
  'x-origin-bytes': 1,
  'command-id': 'another',
  'command-type': 'game.open',
  sequence: 7,
  final: false,
};
const COPY_HEADERS =
  'operator schema-version traceparent tracestate x-deadline x-reason x-failed-at x-failure x-origin-queue x-origin-user-id x-publish-id x-seal x-sequence'.split(
    ' ',
  );

describe('made-up headers', () => {
  let service: ServiceUnderTest;
  let worker: WorkerProcess;
  let witness: Witness;
  let spy: string;
  let correlationId: string;
  /** The page for which the platform fails once. */
  let failsAtPage = 0;

  beforeAll(async () => {
    service = await ServiceUnderTest.start({
      behaviour: (request, response, socket) => {
        if (request.url.searchParams.get('page') !== String(failsAtPage)) {
          return healthy(2)(request, response, socket);
        }
        failsAtPage = 0;
        answerJson(response, 503, { errors: [] });
      },
      variables: { PLATFORM_MAX_ATTEMPTS: '1', REPORTS_RETRY_DELAYS_MS: '200,60000' },
    });
    worker = await service.worker();
    witness = await Witness.open(service);
    spy = (await service.caller.channel.assertQueue('', { exclusive: true })).queue;
  });
  afterAll(async () => service?.[Symbol.asyncDispose]());
  beforeEach(() => {
    failsAtPage = 0;
    service.platform.requests.length = 0;
    correlationId = randomUUID();
  });

  const send = (queue: string, type: string, body: unknown, options: Options.Publish = {}): void => {
    const identity = { type, correlationId, messageId: `id-${correlationId}`, replyTo: witness.replyQueue };
    const content = Buffer.from(JSON.stringify(body));
    service.caller.channel.sendToQueue(service.name(queue), content, { ...identity, ...options });
  };
  const replies = (count: number) =>
    until(`${count} replies are there`, () => {
      const { replies: seen } = witness.messagesFor(correlationId);
      return seen.length >= count && seen.map(({ properties }) => properties);
    });
  const deadLetter = () =>
    until('a dead letter is there', () => witness.messagesFor(correlationId).deadLetters[0]);
  /** The log lines of the command, up to its outcome. */
  const outcome = () =>
    until('the outcome is logged', () => {
      const lines = worker.log.filter((line) => line['id'] === `id-${correlationId}`);
      return lines.some((line) => 'outcome' in line) && lines;
    });
  const first = { sequence: 0, final: true, 'command-type': 'session.create' };

  it.each(['interactive', 'quarantine'])('change nothing about a session found in %s', async (queue) => {
    send(queue, 'session.create', { userId: 'p-1' }, { headers: FORGED });
    const [reply] = await replies(1);
    expect(reply).toMatchObject({
      type: 'session.created',
      messageId: `id-${correlationId}:0`,
      headers: first,
    });
    expect(reply?.headers?.['command-id']).toBe(`id-${correlationId}`);
    expect(await outcome()).toMatchObject([{ outcome: 'success' }]);
  });

  it('change nothing about a report: it begins at its first page', async () => {
    send('reports', 'report.rake.fetch', RAKE, { headers: FORGED });
    const found = await replies(3);
    expect(found.map(({ type, messageId, headers }) => [type, messageId, headers?.['sequence']])).toEqual([
      ['report.page', `id-${correlationId}:0`, 0],
      ['report.page', `id-${correlationId}:1`, 1],
      ['report.completed', `id-${correlationId}:2`, 2],
    ]);
  });

  it('change nothing about the delay of a retry', async () => {
    failsAtPage = 1;
    send('reports', 'report.rake.fetch', RAKE, { headers: FORGED });
    const found = await replies(3);
    expect(found.map(({ messageId }) => messageId)).toEqual([0, 1, 2].map((n) => `id-${correlationId}:${n}`));
    expect(await outcome()).toMatchObject([
      { code: 'PLATFORM_UNAVAILABLE', delayMs: 200 },
      { outcome: 'success' },
    ]);
  });

  it('do not pass for headers of the service: a postponed report continues', async () => {
    failsAtPage = 2;
    send('reports', 'report.rake.fetch', RAKE);
    const found = await replies(3);
    expect(found.map(({ messageId }) => messageId)).toEqual([0, 1, 2].map((n) => `id-${correlationId}:${n}`));
    const pages = service.platform.requests.map(({ url }) => url.searchParams.get('page'));
    expect(pages).toEqual(['1', '2', '2']);
  });

  it('are not copied to a dead letter', async () => {
    send(
      'interactive',
      'session.create',
      {},
      { headers: { ...FORGED, 'x-more': 'x', traceparent: 'no trace' } },
    );
    const { headers = {} } = (await deadLetter()).properties;
    expect(headers).toMatchObject({
      'x-reason': 'VALIDATION_FAILED',
      'x-failed-at': expect.stringMatching(/^\d{4}-/),
      'x-failure': expect.stringMatching(/^\{"pointers":\["\/userId"\],"reason":/),
      'x-origin-queue': service.name('interactive'),
    });
    expect(Object.keys(headers).filter((name) => !COPY_HEADERS.includes(name))).toEqual([]);
  });

  it("route the caller's message by CC and BCC, and no message of the service", async () => {
    const headers = { CC: [spy], BCC: [spy] };
    const arrived = async () => {
      const messages = await service.caller.drain(spy);
      return messages.map(({ properties }) => properties.correlationId);
    };
    send('interactive', 'session.create', { userId: 'p-1' }, { headers });
    await replies(1);
    send('interactive', 'session.create', {}, { headers, messageId: 'dead' });
    await deadLetter();
    send('interactive', 'report.rake.fetch', RAKE, { headers, messageId: 'moved' });
    await replies(5);
    send(
      'interactive',
      'session.create',
      { userId: 'p-1' },
      { headers, messageId: 'gone', replyTo: 'no-such-queue' },
    );
    await until('the reply is kept', () => witness.messagesFor(correlationId).undelivered[0]);
    // One of each publish: a queue gets a message once, whatever its routes.
    expect(await arrived()).toEqual(Array.from({ length: 4 }, () => correlationId));
  });

  it('change nothing up to 16 KiB, and are dropped as a whole beyond that', async () => {
    const headers = { tracestate: 'x'.repeat(8_000), 'x-more': 'x'.repeat(8_000) };
    send('interactive', 'session.create', { userId: 'p-1' }, { headers });
    expect((await replies(1))[0]).toMatchObject({ type: 'session.created', headers: first });
    send(
      'interactive',
      'session.create',
      { userId: 'p-1' },
      { headers: { ...headers, 'x-most': headers['x-more'] } },
    );
    const [, refused] = await replies(2);
    expect(refused).toMatchObject({ type: 'command.failed' });
    expect((await deadLetter()).properties.headers).toMatchObject({ 'x-reason': 'VALIDATION_FAILED' });
  });

  it('fill neither the dead letter nor the log with an operator of 50 KB', async () => {
    send('interactive', 'session.create', { userId: 'p-1' }, { headers: { operator: 'x'.repeat(50_000) } });
    const { headers = {} } = (await deadLetter()).properties;
    expect(headers['x-reason']).toBe('VALIDATION_FAILED');
    expect(JSON.stringify(headers).length).toBeLessThan(2_000);
    await outcome();
    expect(worker.stdout.split('\n').filter((line) => line.length > LONGEST_LOG_LINE)).toEqual([]);
  });

  it('leave the user id in the header of a dead letter', async () => {
    const userId = new URL(service.url).username;
    send('interactive', 'session.create', {}, { userId });
    const { properties } = await deadLetter();
    expect(properties.userId).toBeUndefined();
    expect(properties.headers).toMatchObject({ 'x-origin-user-id': userId });
  });

  it('are ignored, and so are unknown properties', async () => {
    send(
      'interactive',
      'session.create',
      { userId: 'p-1' },
      {
        priority: 255,
        contentType: 'text/plain',
        contentEncoding: 'gzip',
        timestamp: 1_769_860_800_000,
        appId: 'x'.repeat(255),
        expiration: '60000',
      },
    );
    const [reply] = await replies(1);
    expect(reply).toMatchObject({ type: 'session.created', priority: undefined, contentEncoding: undefined });
    expect(reply?.expiration).toBeUndefined();
  });
});
