import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Options } from 'amqplib';

import { healthy, PAGED_DAY } from '../../support/platform-answers.ts';
import { answerJson } from '../../support/platform-stub.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';
import { foreignHeadersOf, witnessForAll } from './witness.ts';

const SESSION = { userId: 'p-1' };

/**
 * Every header that the service or the broker writes, with values that would have an effect if the worker
 * trusted them.
 */
const FORGED = {
  'x-death': [{ count: 99, queue: 'poker.reports', reason: 'rejected', exchange: '', 'routing-keys': ['a'] }],
  'x-first-death-queue': 'poker.reports',
  'x-delivery-count': 99,
  'x-quarantine-starts': 99,
  'x-postponed': 99,
  'x-sequence': 7,
  'x-redriven': 3,
  // The length of a worker's seal.
  'x-seal': Buffer.alloc(32, 7).toString('base64'),
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

describe('made-up headers', () => {
  /** The page for which the platform fails once. */
  let failsAtPage = 0;
  const service = serviceForAll({
    behaviour: (request, response, socket) => {
      if (request.url.searchParams.get('page') !== String(failsAtPage))
        return healthy(2)(request, response, socket);
      failsAtPage = 0;
      answerJson(response, 503, { errors: [] });
    },
    variables: { PLATFORM_MAX_ATTEMPTS: '1', REPORTS_RETRY_DELAYS_MS: '200,60000' },
    workers: 1,
  });
  const witness = witnessForAll(service);
  let spy: string;

  beforeAll(async () => {
    spy = (await service.caller.channel.assertQueue('', { exclusive: true })).queue;
  });
  beforeEach(() => {
    failsAtPage = 0;
    service.platform.requests.length = 0;
  });

  const send = (queue: string, type: string, body: unknown, options: Options.Publish = {}): void => {
    const { correlationId, replyQueue: replyTo } = witness;
    const identity = { type, correlationId, messageId: `id-${correlationId}`, replyTo };
    const content = Buffer.from(JSON.stringify(body));
    service.caller.channel.sendToQueue(service.name(queue), content, { ...identity, ...options });
  };
  const replies = async (count: number) => {
    const isThere = (seen: { replies: unknown[] }) => seen.replies.length >= count;
    const testimony = await witness.until(`${count} replies are there`, isThere);
    return testimony.replies.map(({ properties }) => properties);
  };
  const deadLetter = () => until('a dead letter is there', () => witness.messagesFor().deadLetters[0]);

  it.each(['interactive', 'quarantine'])('change nothing about a session received from %s', async (queue) => {
    send(queue, 'session.create', SESSION, { headers: FORGED });
    const [reply] = await replies(1);
    expect(reply).toMatchObject({
      type: 'session.created',
      messageId: `id-${witness.correlationId}:0`,
      headers: {
        'command-id': `id-${witness.correlationId}`,
        'command-type': 'session.create',
        sequence: 0,
        final: true,
      },
    });
  });

  it.each([
    ['forged', { headers: FORGED }, 1, ['1', '1', '2']],
    ['its own', {}, 2, ['1', '2', '2']],
  ])('do not change where a postponed report continues: %s headers', async (_, options, page, asked) => {
    failsAtPage = page;
    send('reports', 'report.rake.fetch', PAGED_DAY, options);
    const found = await replies(3);
    expect(found.map(({ type, messageId, headers }) => [type, messageId, headers?.['sequence']])).toEqual([
      ['report.page', `id-${witness.correlationId}:0`, 0],
      ['report.page', `id-${witness.correlationId}:1`, 1],
      ['report.completed', `id-${witness.correlationId}:2`, 2],
    ]);
    expect(service.platform.requests.map(({ url }) => url.searchParams.get('page'))).toEqual(asked);
    const postponed = service.running.log.filter((line) => line['id'] === `id-${witness.correlationId}`)[0];
    expect(postponed).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', delayMs: 200 });
  });

  it('are not copied to a dead letter, which contains the user name verified by the broker', async () => {
    const userId = new URL(service.url).username;
    const headers = { ...FORGED, 'x-origin-user-id': 'forged', 'x-more': 'x', traceparent: 'no trace' };
    send('interactive', 'session.create', {}, { userId, headers });
    const letter = await deadLetter();
    const { properties } = letter;
    expect(properties.userId).toBeUndefined();
    expect(properties.headers).toMatchObject({
      'x-reason': 'VALIDATION_FAILED',
      'x-failed-at': expect.stringMatching(/^\d{4}-/),
      'x-failure': expect.stringMatching(/^\{"pointers":\["\/userId"\],"reason":/),
      'x-origin-queue': service.name('interactive'),
      'x-origin-user-id': userId,
    });
    expect(foreignHeadersOf(letter, 'traceparent', 'tracestate', 'x-origin-user-id')).toEqual([]);
  });

  it("route the caller's message by CC and BCC, but no message of the service", async () => {
    const headers = { CC: [spy], BCC: [spy] };
    send('interactive', 'session.create', SESSION, { headers });
    await replies(1);
    send('interactive', 'session.create', {}, { headers, messageId: 'dead' });
    await deadLetter();
    send('interactive', 'report.rake.fetch', PAGED_DAY, { headers, messageId: 'moved' });
    await replies(5);
    send('interactive', 'session.create', SESSION, { headers, messageId: 'gone', replyTo: 'no-such-queue' });
    await until('the reply is parked', () => witness.messagesFor().undelivered[0]);
    // Each publish yields one message: a queue receives a message once, even if several routes match.
    const arrived = await service.caller.drain(spy);
    expect(arrived.map(({ properties }) => properties.correlationId)).toEqual(
      Array(4).fill(witness.correlationId),
    );
  });
});
