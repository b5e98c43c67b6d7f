import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { type Broker, startBroker } from '../../../scripts/broker/start-broker.ts';
import { createSessions, players } from '../../support/create-sessions.ts';
import { Gate, healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../support/worker-process.ts';

const PREFETCH = 5;
const GRACE_MS = 500;

describe('a broker that blocks publishers', () => {
  let broker: Broker;
  let service: ServiceUnderTest;
  let worker: WorkerProcess;
  let gate: Gate;
  beforeAll(async () => {
    broker = await startBroker();
    service = await ServiceUnderTest.start({
      behaviour: healthy(),
      variables: { INTERACTIVE_PREFETCH: String(PREFETCH), SHUTDOWN_GRACE_MS: String(GRACE_MS) },
      url: broker.url,
    });
    worker = await service.worker();
  });
  beforeEach(() => {
    gate = new Gate();
    service.platform.behaviour = gate.behind(healthy());
    service.platform.requests.length = 0;
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await broker[Symbol.asyncDispose]();
  });

  /** The command returns before the broker's connections know of the alarm: until then they accept publishes. */
  const raiseAlarm = async () => {
    await broker.ctl('set_vm_memory_high_watermark', '0');
    await until('no connection takes anything from publishers', async () => {
      const states = (await broker.ctl('--quiet', '--no-table-headers', 'list_connections', 'state')).split(
        '\n',
      );
      return states.filter(Boolean).every((state) => state.startsWith('block'));
    });
  };
  const endAlarm = () => broker.ctl('set_vm_memory_high_watermark', '0.6');
  const lastError = async () => (await worker.health()).bus.lastError;
  /** Twice as many commands as may be in flight, and the alarm when the first half is. */
  const blockedSessions = async (name: string) => {
    const userIds = players(2 * PREFETCH, name);
    const sessions = createSessions(service, userIds);
    await until('they are in flight', () => gate.held === PREFETCH);
    await raiseAlarm();
    gate.open();
    await until('health shows it', async () => /memory|block/i.test((await lastError()) ?? ''));
    return { userIds, sessions };
  };

  it('is shown by health; commands in flight are answered afterwards, once, and so are the others', async () => {
    const { userIds, sessions } = await blockedSessions('blocked');
    expect((await worker.get('/health/live')).status).toBe(200);
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
    expect((await worker.get('/health/ready')).status).toBe(200);
  });

  it('does not keep a worker from stopping, and loses nothing', async () => {
    const { userIds, sessions } = await blockedSessions('stopping');
    worker.kill('SIGTERM');
    expect(await worker.ended()).toEqual({ code: 0, signal: null });
    expect(worker.stderr).toBe('');
    await endAlarm();
    worker = await service.worker();
    const replies = await sessions;
    expect(replies.map((reply) => reply?.body['userId'])).toEqual(userIds);
  });
});
