import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Options } from 'amqplib';

import { healthy } from '../../support/platform-answers.ts';
import { answerJson, sessionDocument } from '../../support/platform-stub.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../../scripts/processes/worker-process.ts';
import { Witness } from './witness.ts';

const SESSION = { userId: 'p-1' };
const RAKE = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
const MINUTE_MS = 60_000;

describe('deadlines', () => {
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
    witness.publish(correlationId, type, body, { replyTo: witness.replyQueue, ...options });
    const { replies } = await witness.until(correlationId, 'the reply', (seen) => seen.replies.length > 0);
    const [reply] = replies;
    return { type: reply?.properties.type as unknown, body: JSON.parse(String(reply?.content)) as object };
  };
  const agoMs = (ms: number) => Date.now() - ms;

  it.each([
    ['ISO 8601', () => new Date(agoMs(1_000)).toISOString()],
    ['a string of milliseconds', () => String(agoMs(1))],
    ['an integer', () => agoMs(1)],
  ])('a passed deadline, as %s, is answered without a call', async (_, deadline) => {
    for (const [type, data] of [
      ['session.create', SESSION],
      ['report.rake.fetch', RAKE],
    ] as const) {
      correlationId = randomUUID();
      const { body } = await send(type, data, { headers: { 'x-deadline': deadline() } });
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
  ])("the default is the lane's budget, from the timestamp: %s", async (type, data, budgetSeconds) => {
    const timestamp = Math.floor(Date.now() / 1000) - budgetSeconds;
    const { body } = await send(type, data, { timestamp });
    expect(body).toMatchObject({ code: 'COMMAND_EXPIRED', details: { called: false } });
  });

  it('a timestamp in the future moves no deadline', async () => {
    const timestamp = Math.floor(Date.now() / 1000) + 1_000_000;
    expect((await send('session.create', SESSION, { timestamp })).type).toBe('session.created');
  });

  it('a deadline that passes during a call is answered at once; the answer says that the platform was called', async () => {
    isSilent = true;
    const deadlineAtMs = Date.now() + 2_500;
    const { body } = await send('session.create', SESSION, { headers: { 'x-deadline': deadlineAtMs } });
    expect(Date.now()).toBeGreaterThanOrEqual(deadlineAtMs);
    expect(body).toMatchObject({ code: 'COMMAND_EXPIRED', details: { called: true }, attempts: 1 });
  });

  it.each([
    ['of the command', () => Date.now() + 5 * MINUTE_MS, 5],
    ['of the lane, if the command has none', () => undefined, 0.25],
    ['in 20 minutes at most', () => '2099-12-31T23:59:59Z', 20],
  ])('a dead letter has the deadline %s', async (_, header, minutes) => {
    const fromMs = Date.now();
    await send('session.create', {}, { headers: { 'x-deadline': header() } });
    const { deadLetters } = await witness.refused(correlationId);
    const deadlineAtMs = Number(deadLetters[0]?.properties.headers?.['x-deadline']);
    expect(deadlineAtMs).toBeGreaterThanOrEqual(fromMs + minutes * MINUTE_MS);
    expect(deadlineAtMs).toBeLessThanOrEqual(Date.now() + minutes * MINUTE_MS);
  });

  it('an expired command is announced and not dead-lettered', async () => {
    await until('all is acknowledged', async () => (await worker.metric('poker_commands_in_flight')) === 0);
    // All but the one that was in time.
    await until('each is announced', () => witness.counts.events >= witness.counts.replies - 1);
    const { deadLetters, events, replies } = witness.counts;
    expect(events).toBe(replies - 1);
    // Those of the refused.
    expect(deadLetters).toBe(3);
  });
});

describe('the property expiration', () => {
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
    witness.publish('expiring', 'session.create', SESSION, { replyTo: witness.replyQueue, expiration: '20' });
    const { deadLetters } = await witness.until(
      'expiring',
      'the dead letter',
      (all) => all.deadLetters.length > 0,
    );
    expect(deadLetters[0]?.properties.headers).toMatchObject({
      'x-death': [{ queue: service.name('interactive'), reason: 'expired', count: 1 }],
    });
    expect(deadLetters[0]?.properties.headers).not.toHaveProperty('x-reason');
    expect(witness.counts).toEqual({ replies: 0, deadLetters: 1, events: 0, undelivered: 0 });
    expect(service.platform.requests).toEqual([]);
  });
});
