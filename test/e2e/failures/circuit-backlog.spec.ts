import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { openConnection } from '../../support/broker.ts';
import { Gate, healthy, unavailable } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../support/worker-process.ts';

const PERIOD = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
const VARIABLES = {
  PLATFORM_MAX_ATTEMPTS: '1',
  CIRCUIT_MINIMUM_CALLS: '4',
  CIRCUIT_OPEN_MS: '1000',
  REPORTS_RETRY_DELAYS_MS: '300,1000',
};

describe('a lane with a backlog', () => {
  let service: ServiceUnderTest;
  let worker: WorkerProcess;
  beforeEach(async () => {
    service = await ServiceUnderTest.start({ behaviour: unavailable, variables: VARIABLES });
    worker = await service.worker();
  });
  afterEach(() => service[Symbol.asyncDispose]());

  const fetchReport = () => service.caller.send('report.ad-hoc.fetch', PERIOD);
  const fetchReports = (count: number) => Array.from({ length: count }, fetchReport);
  const waiting = async () => (await service.caller.channel.checkQueue(service.name('reports'))).messageCount;
  const untilPaused = () =>
    until('the lane pauses', async () => (await worker.health()).bus.lanes['reports']?.state === 'paused');

  it('keeps it in its queue while a probe is under way', async () => {
    const backlog = 30;
    const gate = new Gate();
    const reports = fetchReports(backlog);
    await untilPaused();
    service.platform.behaviour = gate.behind(healthy(1));
    await until('a probe is under way', () => gate.held === 1);
    await sleep(500);
    // No more is taken than may be in hand, each time that the lane looks again.
    expect(await waiting()).toBeGreaterThan(backlog / 2);
    expect(gate.held).toBe(1);
    gate.open();
    for (const replies of await Promise.all(reports)) expect(replies.at(-1)?.type).toBe('report.completed');
  });

  it('takes it up again where its connections were cut while it paused', async () => {
    const reports = fetchReports(12);
    await untilPaused();
    const before = service.proxy.accepted;
    service.proxy.cut();
    await until('both connections are made again', () => service.proxy.accepted >= before + 2);
    await worker.ready();
    service.platform.behaviour = healthy(1);
    for (const replies of await Promise.all(reports)) expect(replies.at(-1)?.type).toBe('report.completed');
    expect(worker.stderr).toBe('');
  });

  it('serves again where its queue was deleted while it paused', async () => {
    void fetchReports(4);
    await untilPaused();
    await service.caller.channel.deleteQueue(service.name('reports'));
    service.platform.behaviour = healthy(1);
    await until('it is consumed again', async () => {
      await using asking = await openConnection(service.url);
      const found = await asking.channel.checkQueue(service.name('reports')).catch(() => undefined);
      return found?.consumerCount === 1;
    });
    expect((await fetchReport()).at(-1)?.type).toBe('report.completed');
  });

  it('leaves it to others where it is told to stop while it pauses', async () => {
    const reports = fetchReports(12);
    await untilPaused();
    worker.kill('SIGTERM');
    expect(await worker.ended()).toEqual({ code: 0, signal: null });
    service.platform.behaviour = healthy(1);
    await service.worker();
    for (const replies of await Promise.all(reports)) expect(replies.at(-1)?.type).toBe('report.completed');
  });
});
