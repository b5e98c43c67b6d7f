import { beforeEach, describe, expect, it } from '@jest/globals';

import { healthy, PAGED_DAY } from '../../support/platform-answers.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';
import { factsOf, witnessForAll } from './witness.ts';

const SESSION = { userId: 'p-1' };
const PAGES = 5;
const STALL_MS = 600;

describe('reply_to', () => {
  const variables = { REPORTS_STALL_MS: String(STALL_MS) };
  const service = serviceForAll({ behaviour: healthy(PAGES), variables, workers: 1 });
  const witness = witnessForAll(service);
  beforeEach(() => void (service.platform.requests.length = 0));

  const contents = async (queue: string) => (await service.caller.drain(queue)).map(factsOf);

  it.each([
    ['none', 'report.rake.fetch', PAGED_DAY, undefined, 'REPLY_TO_MISSING'],
    ['a queue of the service', 'session.create', SESSION, 'interactive', 'REPLY_TO_FORBIDDEN'],
  ])('%s: the command is dead-lettered and announced, without a call', async (_, type, body, rest, code) => {
    const replyTo = rest === undefined ? undefined : service.name(rest);
    witness.publish(type, body, replyTo === undefined ? {} : { replyTo });
    const { deadLetters, events } = await witness.refused();
    expect(deadLetters[0]?.properties.headers?.['x-reason']).toBe(code);
    expect(deadLetters[0]?.properties.replyTo).toBe(replyTo);
    expect(events[0]?.fields.routingKey).toBe(`command.failed.${code}`);
    expect(factsOf(events[0])).toMatchObject({ code, final: true });
    expect(service.platform.requests).toEqual([]);
  });

  it('the reply to a missing queue whose name begins like ours, with any characters, is parked', async () => {
    const replyTo = `${service.prefix}-more ä#*/\n\u{1f0a1}`;
    witness.publish('session.create', SESSION, { replyTo });
    const { undelivered, deadLetters } = await witness.until(
      'the reply is kept',
      (all) => all.undelivered.length > 0,
    );
    expect(undelivered.map(factsOf)).toMatchObject([{ type: 'session.created', sequence: 0, final: true }]);
    expect(undelivered[0]?.properties).toMatchObject({
      messageId: `id-${witness.correlationId}:0`,
      deliveryMode: 2,
      headers: {
        'x-reason': 'REPLY_QUEUE_GONE',
        'x-origin-queue': replyTo,
        'command-type': 'session.create',
      },
    });
    expect(JSON.parse(String(undelivered[0]?.content))).toMatchObject({ userId: 'p-1' });
    expect(deadLetters).toEqual([]);
    expect(service.platform.requests).toHaveLength(1);
  });

  it('a reply to a temporarily full queue arrives once', async () => {
    const replyTo = await service.caller.boundedQueue(1);
    service.caller.channel.sendToQueue(replyTo, Buffer.from('{}'));
    const gate = service.hold(healthy(PAGES));
    witness.publish('session.create', SESSION, { replyTo });
    await until('the platform is asked', () => gate.held === 1);
    // The queue is emptied while the worker retries for a second.
    gate.open();
    await service.caller.channel.get(replyTo, { noAck: true });
    const arrived = await until('the reply arrives', () => contents(replyTo));
    expect(arrived).toMatchObject([{ type: 'session.created' }]);
    await service.expectServed();
    expect(witness.messagesFor().undelivered).toEqual([]);
  });

  it('a report that fills its queue ends with a parked REPLY_QUEUE_FULL and sends no more pages', async () => {
    const replyTo = await service.caller.boundedQueue(2);
    witness.publish('report.rake.fetch', PAGED_DAY, { replyTo });
    const { undelivered, events, deadLetters } = await witness.until(
      'the failure is kept',
      (all) => all.undelivered.length > 0 && all.events.length > 0,
    );
    expect(undelivered.map(factsOf)).toEqual([
      { type: 'command.failed', sequence: 2, final: true, code: 'REPLY_QUEUE_FULL' },
    ]);
    expect(JSON.parse(String(undelivered[0]?.content))).toMatchObject({
      category: 'expired',
      retryable: true,
    });
    expect(events.map(({ fields }) => fields.routingKey)).toEqual(['command.failed.REPLY_QUEUE_FULL']);
    expect(deadLetters).toEqual([]);
    expect((await contents(replyTo)).map(({ sequence, type }) => [sequence, type])).toEqual([
      [0, 'report.page'],
      [1, 'report.page'],
    ]);
    // Pages are prefetched, and no page is fetched again while the queue is full.
    expect(service.platform.requests.length).toBeLessThanOrEqual(PAGES);
  });
});
