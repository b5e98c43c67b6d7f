import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { PAGED_REPORT, silentAtPageThree } from '../../support/expiring-service.ts';
import { Gate, healthy, silent } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

/** Long enough for a busy machine to call the platform before it passes; test/timing measures how late answers are. */
const BUDGET_MS = 2_500;

describe('the deadline of a command', () => {
  const service = serviceForAll({ behaviour: silent, workers: 1 });
  const readReport = () => {
    const options = { headers: { 'x-deadline': Date.now() + BUDGET_MS } };
    return service.caller.send('report.rake.fetch', PAGED_REPORT, options);
  };

  it('covers every page of a report', async () => {
    service.platform.behaviour = silentAtPageThree;
    const replies = await readReport();
    expect(replies.map(({ type, headers }) => [type, headers['sequence']])).toEqual([
      ['report.page', 0],
      ['report.page', 1],
      ['command.failed', 2],
    ]);
    const expired = { code: 'COMMAND_EXPIRED', details: { called: true }, attempts: 3 };
    expect(replies[2]?.body).toMatchObject(expired);
  });

  it('is not followed by late replies', async () => {
    const gate = new Gate();
    service.platform.behaviour = gate.behind(healthy(1));
    const before = service.caller.received.length;
    await readReport();
    gate.open();
    await sleep(500);
    expect(service.caller.received.slice(before).map(({ type }) => type)).toEqual(['command.failed']);
  });
});

describe('a worker with one connection to the platform', () => {
  it('answers commands that wait for the connection, and refuses those that find the queue full', async () => {
    await using service = await ServiceUnderTest.start({
      behaviour: silent,
      variables: { PLATFORM_CONNECTIONS: '1', PLATFORM_QUEUE: '1', REPORTS_RETRY_DELAYS_MS: '300' },
    });
    const worker = await service.worker();
    const deadlineAtMs = Date.now() + 5_000;
    const options = { headers: { 'x-deadline': deadlineAtMs } };
    const first = service.caller.send('session.create', { userId: 'first' }, options);
    await until('it is in flight', () => service.platform.requests.length === 1);
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
    expect(Date.now()).toBeGreaterThanOrEqual(deadlineAtMs);
    expect(replies.map(({ body }) => [body['code'], body['details']])).toEqual([
      ['COMMAND_EXPIRED', { called: true }],
      ['COMMAND_EXPIRED', { called: false }],
    ]);
    expect(service.platform.requests).toHaveLength(1);
  });
});
