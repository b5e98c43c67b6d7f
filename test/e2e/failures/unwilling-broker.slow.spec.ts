import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { type Broker, startBroker } from '../../../scripts/broker/start-broker.ts';
import { createSessions, players, sessionsInFlight } from '../../support/create-sessions.ts';
import { type Gate, healthy, playerOf } from '../../support/platform-answers.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';
import type { WorkerUnderTest } from '../../support/worker-under-test.ts';
import { openCallers, PATIENT } from '../caller/open-callers.ts';

const PREFETCH = 5;
const MAX_MESSAGE_BYTES = 20_000;
const RAKE = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00', perPage: 1_000 };

describe('a broker of its own', () => {
  let broker: Broker;
  let gate: Gate;
  const service = serviceForAll(async (stack) => {
    broker = stack.use(await startBroker({ settings: [`{max_message_size, ${MAX_MESSAGE_BYTES}}`] }));
    const variables = { INTERACTIVE_PREFETCH: String(PREFETCH), SHUTDOWN_GRACE_MS: '500' };
    return { behaviour: healthy(), variables, url: broker.url, workers: 1 };
  });

  beforeEach(() => {
    gate = service.hold();
    service.platform.requests.length = 0;
    service.caller.received.length = 0;
  });

  /**
   * rabbitmqctl returns before the broker's connections know of the alarm; until then, they accept publishes.
   */
  const raiseAlarm = async () => {
    await broker.ctl('set_vm_memory_high_watermark', '0');
    await until('no connection takes anything from publishers', async () => {
      const states = await broker.ctl('--quiet', '--no-table-headers', 'list_connections', 'state');
      return states
        .split('\n')
        .filter(Boolean)
        .every((state) => state.startsWith('block'));
    });
  };
  const endAlarm = () => broker.ctl('set_vm_memory_high_watermark', '0.6');
  const lastError = async () => (await service.running.health()).bus.lastError;
  /**
   * Sends twice as many commands as may be in flight, and raises the alarm when the first half is in flight.
   */
  const blockedSessions = async (name: string) => {
    const userIds = players(2 * PREFETCH, name);
    const sessions = createSessions(service, userIds);
    await until('they are in flight', () => gate.held === PREFETCH);
    await raiseAlarm();
    gate.open();
    await until('health shows it', async () => /memory|block/i.test((await lastError()) ?? ''));
    return { userIds, sessions };
  };

  it('that blocks publishers is shown by health; all commands are answered afterwards, once', async () => {
    const { userIds, sessions } = await blockedSessions('blocked');
    expect((await service.running.get('/health/live')).status).toBe(200);
    expect(service.caller.received).toEqual([]);
    expect(service.platform.requests).toHaveLength(PREFETCH);
    await endAlarm();

    const replies = await sessions;
    expect(replies.map((reply) => [reply?.type, reply?.body['userId']])).toEqual(
      userIds.map((userId) => ['session.created', userId]),
    );
    expect(service.caller.received).toHaveLength(userIds.length);
    expect(service.platform.requests).toHaveLength(userIds.length);
    await until('health is up again', async () => (await lastError()) === undefined);
    expect((await service.running.get('/health/ready')).status).toBe(200);
  });

  it('that blocks publishers does not keep a worker from stopping, and loses nothing', async () => {
    const { userIds, sessions } = await blockedSessions('stopping');
    await service.stop();
    expect(service.running.stderr).toBe('');
    await endAlarm();
    await service.worker();
    const replies = await sessions;
    expect(replies.map((reply) => reply?.body['userId'])).toEqual(userIds);
  });

  it('that is low on memory fails calls at their deadline, with the reason; later calls succeed', async () => {
    await using callers = openCallers(service);
    const states: string[] = [];
    const waiting = callers.open({ onState: (connection, { kind }) => states.push(`${connection} ${kind}`) });
    await waiting.ready();
    gate.open();
    await raiseAlarm();
    await expect(waiting.createSession({ userId: 'alice' }, { deadlineMs: 1_000 })).rejects.toMatchObject({
      code: 'NOT_SENT',
      message: expect.stringContaining('The broker is low on memory and takes nothing'),
    });
    await endAlarm();
    expect(await waiting.createSession({ userId: 'alice' }, PATIENT)).toMatchObject({ userId: 'alice' });
    expect(states).toEqual(
      expect.arrayContaining(['consuming open', 'publishing open', 'publishing blocked']),
    );
  });

  it('that refuses a page fails only its report, which is answered; no connection is lost', async () => {
    service.platform.behaviour = healthy(1_000);
    const before = service.running.log.length;
    const reports = Array.from({ length: 5 }, () => service.caller.sendForOne('report.rake.fetch', RAKE));
    const sessions = createSessions(service, players(50));
    for (const { type, body } of await Promise.all(reports))
      expect([type, body['code']]).toEqual(['command.failed', 'INTERNAL_ERROR']);
    for (const reply of await sessions) expect(reply?.type).toBe('session.created');
    expect(service.platform.requests.filter((request) => playerOf(request) === undefined)).toHaveLength(5);
    const log = service.running.log.slice(before);
    expect(log.filter(({ msg }) => msg === 'broker unavailable')).toEqual([]);
    const reason = `is larger than configured max size ${MAX_MESSAGE_BYTES}`;
    await until('it is logged', () => JSON.stringify(service.running.log).includes(reason));
  });
});

describe('a node that no longer confirms', () => {
  const service = serviceForAll({ behaviour: healthy() });
  let worker: WorkerUnderTest;

  beforeAll(async () => {
    // A heartbeat would also detect this, but only after the end of this test.
    worker = await service.worker({ AMQP_URL: `${service.proxy.through(service.url)}?heartbeat=60` });
  });

  it.each([
    ['answers on the other connection', [0]],
    ['answers on neither connection', [0, 1]],
  ])('is left by both connections if it %s, and unconfirmed messages are republished', async (_, stalled) => {
    service.platform.requests.length = 0;
    const before = worker.log.length;
    const userIds = players(10, `stalled ${stalled.join()}`);
    const { gate, sessions } = await sessionsInFlight(service, userIds);
    // The first connection publishes; the second one consumes.
    for (const connection of stalled) service.proxy.stall(connection);
    gate.open();

    expect((await sessions).map((reply) => [reply?.type, reply?.messageId])).toEqual(
      userIds.map((userId) => ['session.created', `${userId}:0`]),
    );
    expect(service.platform.requests.map(playerOf).toSorted()).toEqual(userIds);
    const given = () => worker.log.slice(before).filter(({ msg }) => msg === 'broker unavailable');
    await until('they are given up', () => given().length === 2);
    const reason = expect.stringContaining('confirms nothing of what is published');
    expect(given()).toMatchObject(['publishing', 'consuming'].map((connection) => ({ connection, reason })));
    // The broker now detects that the connections are gone, and stops delivering to the former consumer.
    service.proxy.resume();
    await worker.ready();
    const [reply] = await createSessions(service, players(1, `after ${stalled.join()}`));
    expect(reply?.type).toBe('session.created');
    expect(given()).toHaveLength(2);
    expect(worker.stderr).toBe('');
  });
});
