import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, describe, expect, it } from '@jest/globals';

import { testBrokerCtl } from '../../support/broker.ts';
import { players, sessionsInFlight } from '../../support/create-sessions.ts';
import { healthy, playerOf } from '../../support/platform-answers.ts';
import { serviceForAll, serviceForEach } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

describe('the connections to the broker', () => {
  afterEach(() => expect(service.running.stderr).toBe(''));
  // A worker that has waited long for its calls makes fewer at once: not as many as the next test holds.
  const service = serviceForEach({ behaviour: healthy(), workers: 1 });

  /** Closes the connections as the broker does on request, for example before a restart. */
  const forceClose = async (): Promise<void> => {
    const ports = service.proxy.portsAtTarget.join();
    await testBrokerCtl(
      'eval',
      `[rabbit_networking:close_connection(Pid, "forced by a test") || ` +
        `[{pid, Pid}, {peer_port, Port}] <- rabbit_networking:connection_info_all([pid, peer_port]), ` +
        `lists:member(Port, [${ports}])].`,
    );
  };

  it.each<[string, () => void | Promise<unknown>, reason: RegExp]>([
    ['both are cut', () => service.proxy.cut(), /ECONNRESET|EPIPE/],
    ['both are closed by force', () => forceClose(), /forced by a test/],
  ])('may be lost while commands are in flight: %s', async (_, breakThem, reason) => {
    const userIds = players(20, randomUUID());
    const { gate, sessions } = await sessionsInFlight(service, userIds);
    const before = service.proxy.accepted;
    const lines = service.running.log.length;
    await breakThem();
    await until('a connection is reopened', () => service.proxy.accepted > before);
    await service.running.ready();
    gate.open();

    expect((await sessions).map((reply) => [reply?.type, reply?.body['userId'], reply?.messageId])).toEqual(
      userIds.map((userId) => ['session.created', userId, `${userId}:0`]),
    );
    expect(service.platform.requests.map(playerOf).toSorted()).toEqual(userIds.toSorted());
    expect(new Set(service.caller.received.map(({ text }) => text)).size).toBe(20);
    // On a busy machine, an attempt to reconnect may fail for another reason.
    const lost = service.running.log.slice(lines).find(({ msg }) => msg === 'broker unavailable');
    expect(lost?.['reason']).toMatch(reason);
  });

  it.each([
    ['the first', 0],
    ['the last', -1],
  ])('may be lost while replies and acknowledgements are in flight: %s', async (_, which) => {
    const userIds = players(20, randomUUID());
    const { gate, sessions } = await sessionsInFlight(service, userIds);
    service.proxy.stall(which);
    gate.open();
    // Messages that are sent now do not arrive.
    await sleep(300);
    service.proxy.cut(which);
    expect((await sessions).map((reply) => reply?.messageId)).toEqual(userIds.map((userId) => `${userId}:0`));
    expect(service.platform.requests.map(playerOf).toSorted()).toEqual(userIds.toSorted());
    await service.idle();
  });

  it('recover if they are cut during their setup', async () => {
    const untilMs = Date.now() + 1_500;
    while (Date.now() < untilMs) {
      await sleep(5 + 60 * Math.random());
      service.proxy.cut();
    }
    await service.running.ready();
    await service.expectServed();
  });
});

describe('the connections of a worker with heartbeats of one second', () => {
  const service = serviceForAll({ behaviour: healthy() });

  it('are closed by heartbeats if the network drops silently, and shown as down by health and metrics', async () => {
    const url = `${service.proxy.through(service.url)}?heartbeat=1`;
    const worker = await service.worker({ AMQP_URL: url });
    const { gate, sessions } = await sessionsInFlight(service, players(1));
    service.proxy.stall();
    gate.open();
    await until('it is not ready', async () => (await worker.get('/health/ready')).status === 503);
    expect((await worker.get('/health/live')).status).toBe(200);
    expect(await worker.metric('poker_broker_connected')).toBe(0);
    expect(await worker.metric('poker_ready')).toBe(0);
    service.proxy.resume();
    expect(await sessions).toMatchObject([{ type: 'session.created' }]);
    expect(service.platform.requests).toHaveLength(1);
    await worker.ready();
    expect(await worker.metric('poker_broker_connected')).toBe(1);
    expect(worker.stderr).toBe('');
  });
});
