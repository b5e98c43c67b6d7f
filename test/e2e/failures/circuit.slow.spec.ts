import { describe, expect, it } from '@jest/globals';

import { found } from '../../support/broker.ts';
import { DAY, healthy, unavailable } from '../../support/platform-answers.ts';
import type { ReceivedReply } from '../../support/bus-caller.ts';
import type { ServiceUnderTest } from '../../support/service-under-test.ts';
import { serviceForAll, serviceForEach } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

const MINIMUM_CALLS = 4;
const OPEN_MS = 3_000;
/** The earliest first probe. The wait has jitter, so that workers do not probe at the same time. */
const EARLIEST_PROBE_MS = 0.8 * OPEN_MS;
const LATEST_PROBE_MS = 1.2 * OPEN_MS;
const VARIABLES = {
  PLATFORM_MAX_ATTEMPTS: '1',
  CIRCUIT_MINIMUM_CALLS: String(MINIMUM_CALLS),
  CIRCUIT_OPEN_MS: String(OPEN_MS),
  REPORTS_RETRY_DELAYS_MS: '300,5000',
};

const fetchReport = ({ caller }: ServiceUnderTest) => caller.send('report.ad-hoc.fetch', DAY);
const fetchReports = (service: ServiceUnderTest, count: number) =>
  Array.from({ length: count }, () => fetchReport(service));
const laneState = async (service: ServiceUnderTest) =>
  (await service.running.health()).bus.lanes['reports']?.state;
const untilPaused = (service: ServiceUnderTest) =>
  until('the lane pauses', async () => (await laneState(service)) === 'paused');
const expectCompleted = async (reports: readonly Promise<ReceivedReply[]>[]) => {
  for (const replies of await Promise.all(reports)) expect(replies.at(-1)?.type).toBe('report.completed');
};

describe('an open circuit', () => {
  const service = serviceForAll({ behaviour: healthy(1), variables: VARIABLES, workers: 1 });

  const circuitOf = async (operation: string) =>
    (await service.running.health()).circuits.circuits.find((circuit) => circuit.operation === operation)
      ?.state ?? 'never used';
  const gauge = (operation: string) =>
    service.running.metric('poker_circuit_state', `operation="${operation}"`);
  const createSession = async () => (await service.caller.send('session.create', { userId: 'p-1' }))[0];

  it('fails players fast with a time to retry, and closes after a probe', async () => {
    service.platform.behaviour = unavailable;
    for (let call = 0; call < MINIMUM_CALLS; call += 1)
      expect((await createSession())?.body).toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
    const openedAtMs = Date.now();
    const refused = await createSession();
    expect(refused?.body).toMatchObject({
      code: 'CIRCUIT_OPEN',
      category: 'unavailable',
      retryable: true,
      attempts: 0,
    });
    expect(refused?.body['retryAfterMs']).toBeGreaterThan(0);
    expect(refused?.body['retryAfterMs']).toBeLessThanOrEqual(LATEST_PROBE_MS);
    expect(service.platform.requests).toHaveLength(MINIMUM_CALLS);
    expect([await circuitOf('session.create'), await gauge('session.create')]).toEqual(['open', 2]);
    expect((await service.running.health()).status).toBe(200);
    expect((await service.running.get('/health/ready')).status).toBe(200);

    service.platform.behaviour = healthy(1);
    // One failing operation does not open the circuits of other operations.
    expect(await service.caller.send('game.open', { player: { id: 'p-1' } })).toMatchObject([
      { type: 'game.opened' },
    ]);
    await until('a probe may come', async () => (await gauge('session.create')) === 1);
    await until('a call goes through', async () => (await createSession())?.type === 'session.created');
    expect(Date.now() - openedAtMs).toBeGreaterThanOrEqual(EARLIEST_PROBE_MS - 100);
    expect([await circuitOf('session.create'), await gauge('session.create')]).toEqual(['closed', 0]);
  });

  it('pauses the reports lane, which resumes after a probe', async () => {
    service.platform.requests.length = 0;
    service.platform.behaviour = unavailable;
    const reports = fetchReports(service, MINIMUM_CALLS);
    await untilPaused(service);
    const called = service.platform.requests.length;
    expect(called).toBe(MINIMUM_CALLS);
    expect(await service.running.metric('poker_lane_state', 'lane="reports",state="paused"')).toBe(1);
    expect((await service.running.get('/health/ready')).status).toBe(200);
    expect(await service.running.health()).toMatchObject({ status: 200, circuits: { status: 'degraded' } });

    // Reports that arrive now, even from a retry queue, stay in the queue of the lane, except for the probe.
    const gate = service.hold(healthy(1));
    reports.push(fetchReport(service), fetchReport(service));
    await until('they wait in their queue', async () => (await service.depth('reports')) > 2);
    expect(gate.held).toBeLessThanOrEqual(1);
    expect(service.platform.requests).toHaveLength(called + gate.held);
    expect(service.caller.received.filter(({ type }) => type.startsWith('report.'))).toEqual([]);

    gate.open();
    for (const replies of await Promise.all(reports))
      expect(replies.map(({ type }) => type)).toEqual(['report.page', 'report.completed']);
    expect(await laneState(service)).toBe('consuming');
    expect(await circuitOf('report.ad-hoc.fetch')).toBe('closed');
  });

  it('sends a report to a retry queue without a call while another report can be served', async () => {
    service.platform.behaviour = (request, response, socket) =>
      (request.url.pathname.endsWith('/ad_hoc') ? unavailable : healthy(1))(request, response, socket);
    const rake = () => service.caller.send('report.rake.fetch', DAY);
    await rake();
    const failing = fetchReports(service, MINIMUM_CALLS);
    await until('it is open', async () => (await circuitOf('report.ad-hoc.fetch')) === 'open');
    const called = service.platform.requests.length;
    failing.push(fetchReport(service));
    const isPostponed = async () => (await service.depth('reports.retry.5000')) >= 1;
    await until('the last one waits longer than to the first probe', isPostponed);
    expect(await rake()).toMatchObject([{ type: 'report.page' }, { type: 'report.completed' }]);
    expect(await laneState(service)).toBe('consuming');
    expect(service.platform.requests.slice(called).every(({ url }) => url.pathname.endsWith('/rake'))).toBe(
      true,
    );

    service.platform.behaviour = healthy(1);
    await expectCompleted(failing);
  });
});

describe('a lane with a backlog', () => {
  const variables = { ...VARIABLES, REPORTS_RETRY_DELAYS_MS: '300,1000', REPORTS_PREFETCH: '8' };
  const service = serviceForEach({ behaviour: unavailable, variables, workers: 1 });

  it('resumes if its queue was deleted while it was paused', async () => {
    void fetchReports(service, 4);
    await untilPaused(service);
    await service.caller.channel.deleteQueue(service.name('reports'));
    service.platform.behaviour = healthy(1);
    await until('it is consumed again', async () => {
      const lane = await found((channel) => channel.checkQueue(service.name('reports')));
      // One consumer for the probe, then another one for the rest of the prefetch.
      return (lane?.consumerCount ?? 0) > 0;
    });
    await expectCompleted([fetchReport(service)]);
  });

  it('leaves its commands to other workers if its worker stops while it is paused', async () => {
    const reports = fetchReports(service, 12);
    await untilPaused(service);
    await service.stop();
    service.platform.behaviour = healthy(1);
    await service.worker();
    await expectCompleted(reports);
  });

  it('serves other reports while its first one waits for its caller to read', async () => {
    const full = await service.caller.boundedQueue(1);
    service.caller.channel.sendToQueue(full, Buffer.from('in the way'));
    // Enough reports to open the circuit; they return to the lane before the probe.
    for (const messageId of ['waits-1', 'waits-2', 'waits-3', 'waits-4'])
      service.caller.publish('report.ad-hoc.fetch', DAY, { messageId, replyTo: full });
    await until('they are back in their lane', async () => (await service.depth('reports')) === 4);
    const gate = service.hold(healthy(1));
    const others = fetchReports(service, 4);
    await until('the first one is under way', () => gate.held === 1);
    gate.open();
    await expectCompleted(others);
    // Otherwise the lane may have resumed because the first report stopped waiting for its caller.
    expect(await service.depth('replies.undelivered')).toBe(0);
  });
});
