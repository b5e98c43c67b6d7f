import { describe, expect, it } from '@jest/globals';

import { openConnection } from '../../support/broker.ts';
import { createSessions, players } from '../../support/create-sessions.ts';
import { Gate, healthy, silent } from '../../support/platform-answers.ts';
import { serviceForEach } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

describe('a worker that gets SIGTERM and cannot finish', () => {
  const service = serviceForEach({ behaviour: silent });

  it.each<[string, graceMs: number, () => unknown]>([
    ['requeues its commands after the grace period', 3_000, () => undefined],
    [
      'does not exceed the grace period if the broker is unavailable',
      1_000,
      () => {
        service.proxy.refuse();
        service.proxy.cut();
      },
    ],
  ])('%s, and another worker answers them', async (_, graceMs, hinder) => {
    const worker = await service.worker({ SHUTDOWN_GRACE_MS: String(graceMs) });
    const userIds = players(3);
    const sessions = createSessions(service, userIds);
    await until('they are in flight', () => service.platform.requests.length === 3);
    hinder();
    const stoppedAtMs = performance.now();
    worker.kill('SIGTERM');
    expect(await worker.ended()).toEqual({ code: 0, signal: null });
    expect(performance.now() - stoppedAtMs).toBeGreaterThanOrEqual(graceMs);
    expect(worker.stderr).toBe('');
    service.platform.behaviour = healthy();
    await service.worker({ AMQP_URL: service.url });
    expect((await sessions).map((reply) => reply?.body['userId'])).toEqual(userIds);
    expect(service.caller.received).toHaveLength(3);
  });

  it('immediately requeues commands that the broker sent before it received the cancel', async () => {
    const gate = new Gate();
    service.platform.behaviour = gate.behind(healthy());
    const worker = await service.worker();
    const inFlight = createSessions(service, ['in flight']);
    await until('it is in flight', () => gate.held === 1);
    service.proxy.stall();
    worker.kill('SIGTERM');
    await until('it stops', async () => (await worker.get('/health/ready')).status === 503);
    const published = service.caller.repliesTo('published');
    await using publishing = await openConnection(service.url);
    publishing.channel.publish(
      service.name('commands'),
      'session.create',
      Buffer.from(JSON.stringify({ userId: 'published' })),
      { replyTo: service.caller.replyQueue, correlationId: 'published' },
    );
    await publishing.channel.waitForConfirms();
    // The broker sends the command to its only consumer, and the network delivers it later.
    const { messageCount } = await publishing.channel.checkQueue(service.name('interactive'));
    expect(messageCount).toBe(0);
    service.platform.behaviour = healthy();
    service.proxy.resume();
    const other = await service.worker();
    expect(await published).toMatchObject([{ type: 'session.created' }]);
    gate.open();
    expect(await inFlight).toMatchObject([{ type: 'session.created' }]);
    expect(other.stderr).toBe('');
  });

  it('does not exceed the grace period if the broker no longer answers', async () => {
    const graceMs = 500;
    const worker = await service.worker({ SHUTDOWN_GRACE_MS: String(graceMs) });
    service.proxy.stall();
    worker.kill('SIGTERM');
    // Closing the consumers, their channels and both connections each has its own timeout.
    expect(await worker.ended()).toEqual({ code: 0, signal: null });
    expect(worker.stderr).toBe('');
    service.proxy.resume();
  });
});
