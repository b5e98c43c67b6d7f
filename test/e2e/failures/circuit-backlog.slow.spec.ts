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

  it('keeps it in its queue while a probe is in flight', async () => {
    const backlog = 30;
    const gate = new Gate();
    const reports = fetchReports(backlog);
    await untilPaused();
    service.platform.behaviour = gate.behind(healthy(1));
    await until('a probe is in flight', () => gate.held === 1);
    await sleep(500);
    // No more is consumed than may be in flight, each time that the lane resumes.
    expect(await waiting()).toBeGreaterThan(backlog / 2);
    expect(gate.held).toBe(1);
    gate.open();
    for (const replies of await Promise.all(reports)) expect(replies.at(-1)?.type).toBe('report.completed');
  });

  it('resumes if its connections were cut while it was paused', async () => {
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

  it('resumes if its queue was deleted while it was paused', async () => {
    void fetchReports(4);
    await untilPaused();
    await service.caller.channel.deleteQueue(service.name('reports'));
    service.platform.behaviour = healthy(1);
    await until('it is consumed again', async () => {
      await using asking = await openConnection(service.url);
      const found = await asking.channel.checkQueue(service.name('reports')).catch(() => undefined);
      // One for the probe, then another one for the rest of the prefetch.
      return (found?.consumerCount ?? 0) > 0;
    });
    expect((await fetchReport()).at(-1)?.type).toBe('report.completed');
  });

  it('leaves it to others if it is stopped while it is paused', async () => {
    const reports = fetchReports(12);
    await untilPaused();
    worker.kill('SIGTERM');
    expect(await worker.ended()).toEqual({ code: 0, signal: null });
    service.platform.behaviour = healthy(1);
    await service.worker();
    for (const replies of await Promise.all(reports)) expect(replies.at(-1)?.type).toBe('report.completed');
  });
});

describe('a lane that takes up its backlog again', () => {
  it('serves the others while the report that it began with waits for its caller to read', async () => {
    await using service = await ServiceUnderTest.start({
      behaviour: unavailable,
      variables: { ...VARIABLES, CIRCUIT_OPEN_MS: '3000', REPORTS_PREFETCH: '8' },
    });
    const worker = await service.worker();
    const gate = new Gate();
    const { channel } = service.caller;
    const { queue: full } = await channel.assertQueue('', {
      exclusive: true,
      arguments: { 'x-max-length': 1, 'x-overflow': 'reject-publish' },
    });
    channel.sendToQueue(full, Buffer.from('in the way'));
    const depth = async (queue: string) => (await channel.checkQueue(service.name(queue))).messageCount;
    // As many as open the circuit; they are back in the lane before it is probed.
    for (const messageId of ['waits-1', 'waits-2', 'waits-3', 'waits-4']) {
      service.caller.publish('report.ad-hoc.fetch', PERIOD, { messageId, replyTo: full });
    }
    await until('they are back in their lane', async () => (await depth('reports')) === 4);
    service.platform.behaviour = gate.behind(healthy(1));
    const others = Array.from({ length: 4 }, () => service.caller.send('report.ad-hoc.fetch', PERIOD));
    await until('the first one is under way, and the lane consumes', async () => {
      const { lanes } = (await worker.health()).bus;
      return gate.held === 1 && lanes['reports']?.state === 'consuming';
    });
    gate.open();
    for (const replies of await Promise.all(others)) expect(replies.at(-1)?.type).toBe('report.completed');
    // Else the first one has given its caller up, and the lane went on for that reason.
    expect(await depth('replies.undelivered')).toBe(0);
  });
});
