import { describe, expect, it } from '@jest/globals';

import { openConnection } from '../../support/broker.ts';
import { Gate, healthy, unavailable } from '../../support/platform-answers.ts';
import { serviceForAll, serviceForEach } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

const PERIOD = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
const MINIMUM_CALLS = 4;
const OPEN_MS = 3_000;
/** The wait for the first probe is spread, so that workers do not probe together. */
const EARLIEST_PROBE_MS = 0.8 * OPEN_MS;
const LATEST_PROBE_MS = 1.2 * OPEN_MS;
const VARIABLES = {
  PLATFORM_MAX_ATTEMPTS: '1',
  CIRCUIT_MINIMUM_CALLS: String(MINIMUM_CALLS),
  CIRCUIT_OPEN_MS: String(OPEN_MS),
  REPORTS_RETRY_DELAYS_MS: '300,5000',
};

describe('an open circuit', () => {
  const service = serviceForAll({ behaviour: healthy(1), variables: VARIABLES, workers: 1 });

  const circuitOf = async (operation: string) =>
    (await service.running.health()).circuits.circuits.find((circuit) => circuit.operation === operation)
      ?.state ?? 'never used';
  const gauge = (operation: string) =>
    service.running.metric('poker_circuit_state', `operation="${operation}"`);
  const laneState = async () => (await service.running.health()).bus.lanes['reports']?.state;
  const createSession = async () => (await service.caller.send('session.create', { userId: 'p-1' }))[0];

  it('fails a player fast, says when to come back, and closes by a probe', async () => {
    service.platform.behaviour = unavailable;
    for (let call = 0; call < MINIMUM_CALLS; call += 1) {
      expect((await createSession())?.body).toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
    }
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
    // One sick operation does not close the others.
    expect(await service.caller.send('game.open', { player: { id: 'p-1' } })).toMatchObject([
      { type: 'game.opened' },
    ]);
    await until('a call goes through', async () => (await createSession())?.type === 'session.created');
    expect(Date.now() - openedAtMs).toBeGreaterThanOrEqual(EARLIEST_PROBE_MS - 100);
    expect([await circuitOf('session.create'), await gauge('session.create')]).toEqual(['closed', 0]);
  });

  it('lets reports wait: their lane pauses, and resumes after a probe', async () => {
    service.platform.requests.length = 0;
    service.platform.behaviour = unavailable;
    const reports = Array.from({ length: MINIMUM_CALLS }, () =>
      service.caller.send('report.ad-hoc.fetch', PERIOD),
    );
    await until('the lane pauses', async () => (await laneState()) === 'paused');
    const called = service.platform.requests.length;
    expect(called).toBe(MINIMUM_CALLS);
    expect((await service.running.get('/health/ready')).status).toBe(200);
    expect(await service.running.health()).toMatchObject({ status: 200, circuits: { status: 'degraded' } });

    // Reports that arrive now, also from a retry queue, stay in their queue, except for the one that is the probe.
    const gate = new Gate();
    service.platform.behaviour = gate.behind(healthy(1));
    reports.push(
      service.caller.send('report.ad-hoc.fetch', PERIOD),
      service.caller.send('report.ad-hoc.fetch', PERIOD),
    );
    await until('they wait in their queue', async () => (await service.depth('reports')) > 2);
    expect(gate.held).toBeLessThanOrEqual(1);
    expect(service.platform.requests).toHaveLength(called + gate.held);
    expect(service.caller.received.filter(({ type }) => type.startsWith('report.'))).toEqual([]);

    gate.open();
    for (const replies of await Promise.all(reports)) {
      expect(replies.map(({ type }) => type)).toEqual(['report.page', 'report.completed']);
    }
    expect(await laneState()).toBe('consuming');
    expect(await circuitOf('report.ad-hoc.fetch')).toBe('closed');
  });

  it('sends a report to a retry queue without a call while another report can be served', async () => {
    service.platform.behaviour = (request, response, socket) =>
      (request.url.pathname.endsWith('/ad_hoc') ? unavailable : healthy(1))(request, response, socket);
    const rake = () => service.caller.send('report.rake.fetch', PERIOD);
    await rake();
    const failing = Array.from({ length: MINIMUM_CALLS }, () =>
      service.caller.send('report.ad-hoc.fetch', PERIOD),
    );
    await until('it is open', async () => (await circuitOf('report.ad-hoc.fetch')) === 'open');
    const called = service.platform.requests.length;
    failing.push(service.caller.send('report.ad-hoc.fetch', PERIOD));
    const isPostponed = async () => (await service.depth('reports.retry.5000')) >= 1;
    await until('the last one waits longer than to the first probe', isPostponed);
    expect(await rake()).toMatchObject([{ type: 'report.page' }, { type: 'report.completed' }]);
    expect(await laneState()).toBe('consuming');
    expect(service.platform.requests.slice(called).every(({ url }) => url.pathname.endsWith('/rake'))).toBe(
      true,
    );

    service.platform.behaviour = healthy(1);
    for (const replies of await Promise.all(failing)) expect(replies.at(-1)?.type).toBe('report.completed');
  });
});

describe('a lane with a backlog', () => {
  const variables = { ...VARIABLES, REPORTS_RETRY_DELAYS_MS: '300,1000', REPORTS_PREFETCH: '8' };
  const service = serviceForEach({ behaviour: unavailable, variables, workers: 1 });

  const fetchReport = () => service.caller.send('report.ad-hoc.fetch', PERIOD);
  const fetchReports = (count: number) => Array.from({ length: count }, fetchReport);
  const untilPaused = () =>
    until(
      'the lane pauses',
      async () => (await service.running.health()).bus.lanes['reports']?.state === 'paused',
    );

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
    service.running.kill('SIGTERM');
    expect(await service.running.ended()).toEqual({ code: 0, signal: null });
    service.platform.behaviour = healthy(1);
    await service.worker();
    for (const replies of await Promise.all(reports)) expect(replies.at(-1)?.type).toBe('report.completed');
  });

  it('serves the others while the report that it began with waits for its caller to read', async () => {
    const gate = new Gate();
    const full = await service.caller.boundedQueue(1);
    service.caller.channel.sendToQueue(full, Buffer.from('in the way'));
    // As many as open the circuit; they are back in the lane before it is probed.
    for (const messageId of ['waits-1', 'waits-2', 'waits-3', 'waits-4']) {
      service.caller.publish('report.ad-hoc.fetch', PERIOD, { messageId, replyTo: full });
    }
    await until('they are back in their lane', async () => (await service.depth('reports')) === 4);
    service.platform.behaviour = gate.behind(healthy(1));
    const others = fetchReports(4);
    await until('the first one is under way, and the lane consumes', async () => {
      const { lanes } = (await service.running.health()).bus;
      return gate.held === 1 && lanes['reports']?.state === 'consuming';
    });
    gate.open();
    for (const replies of await Promise.all(others)) expect(replies.at(-1)?.type).toBe('report.completed');
    // Else the first one has given its caller up, and the lane went on for that reason.
    expect(await service.depth('replies.undelivered')).toBe(0);
  });
});
