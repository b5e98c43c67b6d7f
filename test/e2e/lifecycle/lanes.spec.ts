import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { Gate, healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';

const PERIOD = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };

describe('two workers of one lane', () => {
  it('share its commands, each of which is run once', async () => {
    const gate = new Gate();
    await using service = await ServiceUnderTest.start({
      behaviour: gate.behind(healthy()),
      variables: { INTERACTIVE_PREFETCH: '2' },
    });
    const workers = await Promise.all([service.worker(), service.worker()]);
    // Each took a free port (HTTP_PORT=0) and logged it.
    expect(new Set(await Promise.all(workers.map((worker) => worker.url()))).size).toBe(2);
    const userIds = Array.from({ length: 20 }, (_, index) => `p-${index}`);
    const sessions = userIds.map((userId) => service.caller.send('session.create', { userId }));
    await until('each has as many in flight as it may', () => gate.held === 4);
    gate.open();
    const replies = (await Promise.all(sessions)).flat();

    expect(replies.map(({ body }) => body['userId'])).toEqual(userIds);
    expect(service.platform.requests).toHaveLength(20);
    // A command is counted when its reply is confirmed, which may be after it was read.
    const counts = await until('all are counted', async () => {
      const found = await Promise.all(
        workers.map((worker) => worker.metric('poker_commands_total', 'success')),
      );
      return found.reduce((sum, count) => sum + count) >= 20 && found;
    });
    expect(counts.reduce((sum, count) => sum + count)).toBe(20);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(2);
  });
});

describe('workers of one lane each', () => {
  let service: ServiceUnderTest;
  beforeAll(async () => {
    service = await ServiceUnderTest.start({ behaviour: healthy(1) });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it('serve only that lane', async () => {
    const worker = await service.worker({ LANES: 'interactive' });
    const report = service.caller.send('report.rake.fetch', PERIOD);
    // Straight to the other lane's queue: the worker that finds it there moves it.
    const stray = service.caller.repliesTo('stray');
    service.caller.channel.sendToQueue(service.name('interactive'), Buffer.from(JSON.stringify(PERIOD)), {
      type: 'report.ad-hoc.fetch',
      messageId: 'stray',
      correlationId: 'stray',
      replyTo: service.caller.replyQueue,
    });
    const [session] = await service.caller.send('session.create', { userId: 'p-1' });
    expect(session?.type).toBe('session.created');
    const { status, bus } = await worker.health();
    expect({ status, lanes: Object.keys(bus.lanes) }).toEqual({ status: 200, lanes: ['interactive'] });
    await until(
      'both reports wait',
      async () => (await service.caller.channel.checkQueue(service.name('reports'))).messageCount === 2,
    );
    expect(service.platform.requests).toHaveLength(1);

    await service.worker({ LANES: 'reports' });
    for (const replies of await Promise.all([report, stray])) {
      expect(replies.map(({ type }) => type)).toEqual(['report.page', 'report.completed']);
    }
  });
});
