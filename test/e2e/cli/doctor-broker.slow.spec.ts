import { describe, expect, it } from '@jest/globals';

import { openConnection, testBrokerCtl, uniquePrefix } from '../../support/broker.ts';
import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import { sandboxedForAll } from '../commands/sandboxed-service.ts';
import { brokerUrlOf, CANARY, diagnosesOf } from './diagnose.ts';

const MIB = 1024 * 1024;

describe('poker-bridge doctor, on the broker', () => {
  const sandboxed = sandboxedForAll();
  const diagnose = diagnosesOf(sandboxed);

  it('reports a wrong password', async () => {
    const { code, faults } = await diagnose({ AMQP_URL: brokerUrlOf(sandboxed, { password: CANARY }) });
    const expected = /refuses this user or password.*check user/;
    expect([code, faults]).toEqual([1, [expect.stringMatching(expected)]]);
  });

  it('names a permission that is missing', async () => {
    const user = `doctor-${uniquePrefix()}`;
    await testBrokerCtl('add_user', user, CANARY);
    await testBrokerCtl('set_permissions', user, '.*', '^t-', '.*');
    const url = brokerUrlOf(sandboxed, { username: user, password: CANARY });
    const { code, faults } = await diagnose({ AMQP_URL: url });
    await testBrokerCtl('delete_user', user);
    const expected =
      /no write permission: (write )?access to exchange 'amq\.default'.*rabbitmqctl set_permissions.* 'doctor-/;
    expect([code, faults]).toEqual([1, [expect.stringMatching(expected)]]);
  });

  it('reports queues that differ or are missing, without declaring them', async () => {
    const prefix = uniquePrefix();
    await using broker = await openConnection();
    await broker.channel.assertQueue(`${prefix}.dead-letters`, { durable: true });
    const other = await diagnose({ AMQP_PREFIX: prefix });
    const different =
      /the queue \S+\.dead-letters exists with other properties.*empty and delete it, .* another/;
    expect([other.code, other.faults]).toEqual([1, [expect.stringMatching(different)]]);
    expect(other.warnings).toMatch(/the queue \S+\.interactive is missing.*start a worker/);
    await broker.channel.deleteQueue(`${prefix}.dead-letters`);
    const empty = await diagnose({ AMQP_PREFIX: prefix });
    const nothing: unknown = expect.stringContaining('nothing of this service exists yet');
    expect([empty.code, empty.warnings]).toEqual([0, nothing]);
  });

  it('names a retry queue whose delay is no longer set, and counts its messages', async () => {
    const queue = sandboxed.service.name('reports.retry.7000');
    await using broker = await openConnection();
    await broker.channel.assertQueue(queue, { durable: true });
    broker.channel.sendToQueue(queue, Buffer.from('{}'));
    await broker.channel.waitForConfirms();
    const { code, warnings } = await diagnose();
    await broker.channel.deleteQueue(queue);
    const expected =
      `topology | ${queue} exists, but its delay is not in REPORTS_RETRY_DELAYS_MS; it holds 1 message` +
      ' | wait until it is empty, then delete it';
    expect([code, warnings.split('\n')]).toEqual([0, expect.arrayContaining([expected])]);
  });

  it('says that a lane without a consumer may be paused on purpose, if workers are connected', async () => {
    await using service = await ServiceUnderTest.start({
      behaviour: healthy(),
      variables: { LANES: 'interactive' },
      workers: 1,
    });
    service.caller.channel.sendToQueue(service.name('reports'), Buffer.from('{}'));
    await until('it is there', async () => (await service.depth('reports')) === 1);
    const { warnings } = await diagnose({ AMQP_PREFIX: service.prefix });
    expect(warnings).toMatch(
      /no worker consumes \S+\.reports, which holds 1 message; workers are connected \| workers pause this lane/,
    );
  });

  it('reports whether the broker takes messages of more than 16 MiB', async () => {
    // RabbitMQ 4 reads its settings at startup, and caches this one as a persistent term.
    const limit = (bytes: number) =>
      testBrokerCtl(
        'eval',
        `application:set_env(rabbit, max_message_size, ${bytes}), persistent_term:put(max_message_size, ${bytes}).`,
      );
    await limit(16 * MIB);
    expect((await diagnose()).fine.join()).toMatch(/messages of more than 16 MiB are refused/);
    await limit(128 * MIB);
    expect((await diagnose()).warnings).toMatch(/more than 16 MiB are taken.*max_message_size = 16777216/);
  });
});
