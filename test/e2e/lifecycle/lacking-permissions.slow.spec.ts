import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { WorkerUnderTest } from '../../support/worker-under-test.ts';
import { testBrokerCtl } from '../../support/broker.ts';
import { healthy } from '../../support/platform-answers.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

const PASSWORD = 'secret-of-a-test';
const NONE = '^$';
const COMMANDS = 5;

describe('a worker whose broker user lacks a permission', () => {
  const user = `worker-${randomBytes(4).toString('hex')}`;
  let worker: WorkerUnderTest;

  beforeAll(() => testBrokerCtl('add_user', user, PASSWORD));
  const service = serviceForAll({ behaviour: healthy() });
  afterAll(() => testBrokerCtl('delete_user', user));

  const url = (): string => {
    const own = new URL(service.proxy.through(service.url));
    [own.username, own.password] = [user, PASSWORD];
    return own.href;
  };
  const patterns = () => {
    const own = `^${service.prefix}\\.`;
    return [own, `^(${service.prefix}\\.|amq\\.default$)`, own] as const;
  };
  const allow = (configure: string, write: string, read: string) =>
    testBrokerCtl('set_permissions', user, configure, write, read);
  const lastError = async () => (await worker.health()).bus.lastError;
  const isReady = async () => (await worker.get('/health/ready')).status === 200;
  const refusals = () => worker.log.filter(({ msg }) => String(msg).startsWith('broker permission missing'));

  it('reports the missing permission and its remedy at startup, and serves once it is granted', async () => {
    const [configure, write, read] = patterns();
    await allow(configure, write, NONE);
    worker = service.start({ AMQP_URL: url() });
    await until('it says so', async () => /lacks the read permission/.test((await lastError()) ?? ''));
    expect(await lastError()).toContain(
      `rabbitmqctl set_permissions --vhost '/' '${user}' '${configure}' '${write}' '${read}'`,
    );
    await until('it is logged', () => refusals().length > 0);
    expect([await isReady(), refusals().length]).toEqual([false, 1]);
    await allow(configure, write, read);
    await until('it is ready', isReady, 10_000);
    await service.expectServed();
  });

  it.each([
    ['write', 'to the default exchange', () => [patterns()[0], patterns()[0], patterns()[2]] as const],
    ['write', 'to its events', () => [patterns()[0], '^amq\\.default$', patterns()[2]] as const],
    ['configure', '', () => [NONE, patterns()[1], patterns()[2]] as const],
    ['read', '', () => [patterns()[0], patterns()[1], NONE] as const],
  ])('consumes and calls nothing while permission to %s %s is withdrawn', async (permission, _, left) => {
    service.platform.requests.length = 0;
    const before = { refusals: refusals().length, connections: service.proxy.accepted };
    await allow(...left());
    service.proxy.cut();
    await until('it is reported', () => refusals().length > before.refusals);
    // The error of the closed connection may be reported first.
    const missing = `lacks the ${permission} permission`;
    await until('it says so', async () => (await lastError())?.includes(missing));
    await until('it takes nothing', async () => (await consumers()) === 0);
    const answers = Array.from({ length: COMMANDS }, (_none, index) =>
      service.caller.sendForOne('session.create', { userId: `p-${index}` }),
    );
    await until('they wait', async () => (await service.depth('interactive')) === COMMANDS);
    await sleep(5_000);
    expect([await service.depth('interactive'), service.platform.requests.length, await isReady()]).toEqual([
      COMMANDS,
      0,
      false,
    ]);
    expect(service.proxy.accepted - before.connections).toBeLessThan(10);
    await allow(...patterns());
    for (const { type } of await Promise.all(answers)) expect(type).toBe('session.created');
    await until('it is ready', isReady, 10_000);
    expect(service.platform.requests).toHaveLength(COMMANDS);
    const redelivered = await worker.metric('poker_redeliveries_total');
    expect(redelivered ?? 0).toBe(0);
  });

  it.each(['interactive', 'quarantine'])(
    'reports a lost read permission on %s while its consumers remain, and serves once it is granted again',
    async (rest) => {
      const [configure, write] = patterns();
      await allow(configure, write, `^${service.prefix}\\.(?!${rest}$)`);
      const isTold = async () => (await lastError())?.includes('lacks the read permission');
      await until('it says so', isTold, 20_000);
      expect([await lastError(), await isReady()]).toEqual([
        expect.stringContaining(service.name(rest)),
        false,
      ]);
      await allow(...patterns());
      await until('it is ready', isReady, 10_000);
      await service.expectServed();
    },
  );

  const consumers = async () =>
    (await service.caller.channel.checkQueue(service.name('interactive'))).consumerCount;
});
