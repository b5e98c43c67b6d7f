import { describe, expect, it } from '@jest/globals';

import { CommandError, type Reply } from '#contracts';
import { UnconfirmedError } from '#rabbitmq';

import type { DeliveryFacts } from '../../../rabbitmq/src/consuming/delivery.fixture.ts';
import { copiedCommandOf, pageOf } from '../command/command.fixture.ts';
import type { CommandHandler } from '../command/command.ts';
import { RECEIVED_AT_MS } from '../envelope/bus.fixture.ts';
import { REPORT, SpecPipeline } from './pipeline.fixture.ts';

const COMPLETED = { type: 'report.completed', data: { report: 'rake', pages: 3 } } as Reply;

/** A report of three pages that continues from its progress; `fetched` records the requested pages. */
function threePages(fetched: number[] = [], failAt?: number, thrown = new Error('not said')): CommandHandler {
  return (_data, command) =>
    Promise.resolve(
      (async function* () {
        for (let number = Number(command.progress?.['pages'] ?? 0) + 1; number <= 3; number += 1) {
          fetched.push(number);
          if (number === failAt) throw thrown;
          yield pageOf(number);
          command.progress = { pages: number };
        }
        yield COMPLETED;
      })(),
    );
}

/** Delivers the postponed report after its delay. */
function again(spec: SpecPipeline, delayMs = 5_000, facts: DeliveryFacts = {}) {
  const delivered = spec.delivered(`poker.reports.retry.${delayMs}`);
  spec.nowMs += delayMs;
  return spec.process({ ...delivered, ...facts });
}

const toCaller = (published: readonly (readonly [string, string])[]) =>
  published.filter(([to]) => to === 'finance').map(([, what]) => what);
const numbers = (spec: SpecPipeline) =>
  spec.messages
    .filter(({ routingKey }) => routingKey === 'finance')
    .map(({ properties }) => properties.messageId);

describe('a report', () => {
  it('waits for the platform, longer each time, and resumes after its last page', async () => {
    const spec = new SpecPipeline();
    const fetched: number[] = [];
    spec.handler = threePages(fetched, 2, new CommandError('PLATFORM_UNAVAILABLE'));
    expect((await spec.process(REPORT)).published.at(-1)?.[0]).toBe('poker.reports.retry.5000');
    expect((await again(spec)).published.at(-1)?.[0]).toBe('poker.reports.retry.30000');
    spec.handler = threePages(fetched);
    await again(spec, 30_000);
    expect(numbers(spec)).toEqual(['m-1:0', 'm-1:1', 'm-1:2', 'm-1:3']);
    expect(fetched).toEqual([1, 2, 2, 2, 3]);
  });

  it('is dead-lettered if it would wait past its deadline', async () => {
    const spec = new SpecPipeline();
    spec.handler = threePages([], 1, new CommandError('PLATFORM_UNAVAILABLE'));
    const { published } = await spec.process({
      ...REPORT,
      headers: { 'x-deadline': RECEIVED_AT_MS + 4_000 },
    });
    expect(published).toContainEqual(['poker.dead-letters', 'PLATFORM_UNAVAILABLE']);
    expect(toCaller(published)).toEqual(['PLATFORM_UNAVAILABLE']);
  });

  it('does not wait for its queue past its deadline', async () => {
    const spec = new SpecPipeline();
    spec.handler = threePages();
    spec.answers.set('finance', 'refused');
    const { published } = await spec.process({
      ...REPORT,
      headers: { 'x-deadline': RECEIVED_AT_MS + 4_000 },
    });
    expect(published.map(([to]) => to)).toEqual(['poker.events', 'poker.replies.undelivered']);
  });

  it.each([
    ['full', 'refused', 'REPLY_QUEUE_FULL'],
    ['gone', 'returned', 'REPLY_QUEUE_GONE'],
  ] as const)(
    'gives its place back while its queue is %s, for REPORTS_STALL_MS in all',
    async (queue, answer, reason) => {
      const spec = new SpecPipeline();
      const fetched: number[] = [];
      spec.handler = threePages(fetched);
      spec.answers.set('finance', answer);
      const { published } = await spec.process(REPORT);
      expect(published.map(([to]) => to)).toEqual(['poker.reports.retry.5000']);
      let last = published;
      for (let round = 0; round < 6 && last.at(-1)?.[0] === 'poker.reports.retry.5000'; round += 1)
        last = (await again(spec)).published;
      expect(spec.nowMs - RECEIVED_AT_MS).toBeGreaterThanOrEqual(30_000);
      expect(spec.nowMs - RECEIVED_AT_MS).toBeLessThan(36_000);
      expect(last).toContainEqual(['poker.replies.undelivered', reason]);
      const parked = spec.messages.find(({ routingKey }) => routingKey === 'poker.replies.undelivered');
      expect(JSON.parse(String(parked?.content))).toMatchObject({
        code: 'REPLY_QUEUE_FULL',
        details: { queue },
      });
      // Each round tries one page, and no page is parked.
      expect(new Set(fetched)).toEqual(new Set([1]));
    },
  );

  it('starts a new wait for its queue after each page that the queue accepted', async () => {
    const spec = new SpecPipeline();
    spec.answers.set('finance', 'refused');
    spec.handler = (_data, command) =>
      Promise.resolve(
        (async function* () {
          const number = Number(command.progress?.['pages'] ?? 0) + 1;
          yield pageOf(number);
          command.progress = { pages: number };
          spec.answers.set('finance', 'refused');
          yield pageOf(number + 1);
        })(),
      );
    await spec.process(REPORT);
    for (let round = 0; round < 3; round += 1) await again(spec);
    spec.answers.clear();
    await again(spec);
    const stalledAtMs = spec.nowMs;
    while ((await again(spec)).published.at(-1)?.[0] === 'poker.reports.retry.5000');
    expect(spec.nowMs - stalledAtMs).toBeGreaterThan(25_000);
  });

  it('does not call the platform while its queue is known to accept nothing', async () => {
    const spec = new SpecPipeline();
    const fetched: number[] = [];
    spec.handler = threePages(fetched);
    spec.answers.set('finance', 'refused');
    await spec.process(REPORT);
    fetched.length = 0;
    const other = { ...REPORT, properties: { ...REPORT.properties, messageId: 'm-2' } };
    expect((await spec.process(other)).published).toEqual([
      ['poker.reports.retry.5000', 'report.rake.fetch'],
    ]);
    expect(fetched).toEqual([]);
  });

  it('parks its final reply if its queue was deleted, and sends it again if it was refused', async () => {
    const spec = new SpecPipeline();
    spec.handler = (_data, command) =>
      Promise.resolve(
        (async function* () {
          if (!command.progress) yield pageOf(1);
          command.progress = { isDone: true };
          spec.answers.set('finance', command.attempts === 0 ? 'refused' : 'returned');
          yield COMPLETED;
        })(),
      );
    expect((await spec.process(REPORT)).published.map(([to]) => to)).toEqual([
      'finance',
      'poker.reports.retry.5000',
    ]);
    spec.handler = () =>
      Promise.resolve(
        (async function* () {
          spec.answers.set('finance', 'returned');
          yield COMPLETED;
        })(),
      );
    spec.answers.clear();
    expect((await again(spec)).published).toEqual([['poker.replies.undelivered', 'REPLY_QUEUE_GONE']]);
  });

  it('fails with the same reply if it failed, was not acknowledged, and is redelivered', async () => {
    const spec = new SpecPipeline();
    const fetched: number[] = [];
    spec.handler = threePages(fetched, 2, new CommandError('PLATFORM_PROTOCOL_ERROR'));
    spec.answers.set('command.failed.PLATFORM_PROTOCOL_ERROR', new UnconfirmedError('no broker'));
    const { delivery, end } = await spec.process(REPORT);
    expect(end).toBe('requeued');
    delivery.lose();
    spec.answers.clear();
    spec.nowMs += 1_000;
    spec.handler = threePages(fetched);
    expect(toCaller((await spec.process({ ...REPORT, redelivered: true })).published)).toEqual([
      'PLATFORM_PROTOCOL_ERROR',
    ]);
    expect(numbers(spec)).toEqual(['m-1:0', 'm-1:1', 'm-1:1']);
    expect(fetched).toEqual([1, 2]);
  });

  it('resumes where another worker postponed it, not at its own earlier page', async () => {
    const spec = new SpecPipeline();
    const fetched: number[] = [];
    spec.handler = threePages(fetched, 2, new UnconfirmedError('no broker'));
    (await spec.process(REPORT)).delivery.lose();
    const { message } = copiedCommandOf({
      ...REPORT,
      properties: { ...REPORT.properties, replyTo: 'finance' },
      headers: { 'x-sequence': 2, 'x-progress': '{"pages":2}' },
    }).delivery;
    fetched.length = 0;
    spec.handler = threePages(fetched);
    const headers = message.properties.headers ?? {};
    await spec.process({ ...REPORT, headers, redelivered: true });
    expect(fetched).toEqual([3]);
    expect(numbers(spec)).toEqual(['m-1:0', 'm-1:2', 'm-1:3']);
  });

  it.each<[string, DeliveryFacts]>([
    ['sent again, not delivered again', {}],
    ['answered elsewhere', { redelivered: true, properties: { ...REPORT.properties, replyTo: 'other' } }],
    ['for other data', { redelivered: true, body: { ...(REPORT.body as object), perPage: 7 } }],
  ])('starts with its first page if it is %s', async (_, facts) => {
    const spec = new SpecPipeline();
    const fetched: number[] = [];
    spec.handler = threePages(fetched, 3, new UnconfirmedError('no broker'));
    (await spec.process(REPORT)).delivery.lose();
    fetched.length = 0;
    spec.handler = threePages(fetched);
    await spec.process({ ...REPORT, ...facts });
    expect(fetched).toEqual([1, 2, 3]);
  });
});
