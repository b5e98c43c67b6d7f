import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Options } from 'amqplib';

import { healthy } from '../../support/platform-answers.ts';
import { answerJson, sessionDocument } from '../../support/platform-stub.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../../scripts/processes/worker-process.ts';
import { factsOf } from './reply-facts.ts';
import { Witness } from './witness.ts';

const SESSION = { userId: 'p-1' };
const RAKE = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
const MINUTE_MS = 60_000;

describe('a deadline', () => {
  let service: ServiceUnderTest;
  let worker: WorkerProcess;
  let witness: Witness;
  let correlationId: string;
  let isSilent = false;

  beforeAll(async () => {
    service = await ServiceUnderTest.start({
      behaviour: (_request, response) => {
        if (!isSilent) answerJson(response, 200, sessionDocument('p-1'));
      },
      variables: { INTERACTIVE_DEADLINE_MS: String(MINUTE_MS / 4) },
    });
    worker = await service.worker();
    witness = await Witness.open(service);
  });
  afterAll(async () => service?.[Symbol.asyncDispose]());
  beforeEach(() => {
    correlationId = randomUUID();
    isSilent = false;
    service.platform.requests.length = 0;
  });

  const send = async (type: string, body: object, options: Options.Publish) => {
    const properties = {
      messageId: `id-${correlationId}`,
      correlationId,
      replyTo: witness.replyQueue,
      ...options,
    };
    service.caller.channel.publish(
      service.name('commands'),
      type,
      Buffer.from(JSON.stringify(body)),
      properties,
    );
    const reply = await until('the reply is there', () => witness.messagesFor(correlationId).replies[0]);
    return { facts: factsOf(reply), body: JSON.parse(String(reply.content)) as Record<string, unknown> };
  };
  const agoMs = (ms: number) => Date.now() - ms;

  it.each(
    Object.entries({
      'ISO 8601 in UTC': () => ({ 'x-deadline': new Date(agoMs(1_000)).toISOString() }),
      'ISO 8601 without seconds': () => ({ 'x-deadline': '2026-01-01T00:00+00:00' }),
      'ISO 8601 with an offset': () => ({
        'x-deadline': new Date(agoMs(1_000) + 180 * MINUTE_MS).toISOString().replace('Z', '+03:00'),
      }),
      'a string of milliseconds': () => ({ 'x-deadline': String(agoMs(1)) }),
      'an integer': () => ({ 'x-deadline': agoMs(1) }),
      'the beginning of time': () => ({ 'x-deadline': 0 }),
      'before it': () => ({ 'x-deadline': -1 }),
    }),
  )('that has passed, as %s, is answered without a call', async (_, headers) => {
    for (const [type, data] of [
      ['session.create', SESSION],
      ['report.rake.fetch', RAKE],
    ] as const) {
      correlationId = randomUUID();
      const { body } = await send(type, data, { headers: headers() });
      expect(body).toMatchObject({
        code: 'COMMAND_EXPIRED',
        category: 'expired',
        retryable: false,
        details: { called: false },
        attempts: 0,
      });
    }
    expect(service.platform.requests).toEqual([]);
  });

  it.each([
    ['session.create', SESSION, 15],
    ['report.rake.fetch', RAKE, 600],
  ])("is the lane's budget from the timestamp: %s", async (type, data, budgetSeconds) => {
    const timestamp = Math.floor(Date.now() / 1000) - budgetSeconds;
    const { body } = await send(type, data, { timestamp });
    expect(body).toMatchObject({ code: 'COMMAND_EXPIRED', details: { called: false } });
  });

  it('is not moved by a timestamp in the future', async () => {
    const timestamp = Math.floor(Date.now() / 1000) + 1_000_000;
    expect((await send('session.create', SESSION, { timestamp })).facts.type).toBe('session.created');
  });

  it('that passes during a call is answered at once, and says that the platform was called', async () => {
    isSilent = true;
    const deadlineAtMs = Date.now() + 2_500;
    const { body } = await send('session.create', SESSION, { headers: { 'x-deadline': deadlineAtMs } });
    expect(Date.now()).toBeGreaterThanOrEqual(deadlineAtMs);
    expect(body).toMatchObject({ code: 'COMMAND_EXPIRED', details: { called: true }, attempts: 1 });
  });

  it.each([
    ['as asked for', () => Date.now() + 5 * MINUTE_MS, 5],
    ['of a lane, if none is requested', () => undefined, 0.25],
    ['at most 20 minutes away', () => '2099-12-31T23:59:59Z', 20],
  ])('travels with a copy: %s', async (_, header, minutes) => {
    const fromMs = Date.now();
    await send('session.create', {}, { headers: { 'x-deadline': header() } });
    const letter = await until(
      'the dead letter is there',
      () => witness.messagesFor(correlationId).deadLetters[0],
    );
    const deadlineAtMs = Number(letter.properties.headers?.['x-deadline']);
    expect(deadlineAtMs).toBeGreaterThanOrEqual(fromMs + minutes * MINUTE_MS);
    expect(deadlineAtMs).toBeLessThanOrEqual(Date.now() + minutes * MINUTE_MS);
  });

  it('that passes leads to no dead letter, and to an announcement for each', async () => {
    await until('all is acknowledged', async () => (await worker.metric('poker_commands_in_flight')) === 0);
    // All but the one that was in time.
    await until('each is announced', () => witness.counts.events >= witness.counts.replies - 1);
    const { deadLetters, events, replies } = witness.counts;
    expect(events).toBe(replies - 1);
    // Those of the refused.
    expect(deadLetters).toBe(3);
  });
});

describe('expiration', () => {
  let service: ServiceUnderTest;
  let witness: Witness;

  beforeAll(async () => {
    service = await ServiceUnderTest.start({
      behaviour: healthy(),
    });
    // Nothing consumes the interactive lane.
    await service.worker({ LANES: 'reports' });
    witness = await Witness.open(service);
  });
  afterAll(async () => service?.[Symbol.asyncDispose]());

  it('ends a command without a reply: the broker dead-letters it', async () => {
    const correlationId = randomUUID();
    const properties = { correlationId, replyTo: witness.replyQueue, expiration: '20', persistent: true };
    const content = Buffer.from(JSON.stringify(SESSION));
    service.caller.channel.publish(service.name('commands'), 'session.create', content, properties);
    const letter = await until(
      'it is a dead letter',
      () => witness.messagesFor(correlationId).deadLetters[0],
    );
    expect(letter.content).toEqual(content);
    expect(letter.properties.headers).not.toHaveProperty('x-reason');
    expect(letter.properties.headers?.['x-death']).toMatchObject([
      { queue: service.name('interactive'), reason: 'expired', count: 1 },
    ]);
    expect(witness.counts).toEqual({ replies: 0, deadLetters: 1, events: 0, undelivered: 0 });
    expect(service.platform.requests).toEqual([]);
  });
});
