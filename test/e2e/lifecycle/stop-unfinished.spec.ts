import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { openConnection } from '../../support/broker.ts';
import { createSessions, players } from '../../support/create-sessions.ts';
import { Gate, healthy, silent } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';

describe('a worker that is told to stop and cannot finish', () => {
  let service: ServiceUnderTest;
  beforeEach(async () => {
    service = await ServiceUnderTest.start({ behaviour: silent });
  });
  afterEach(() => service[Symbol.asyncDispose]());

  it('returns to the queue what is not finished within the grace, and another worker answers it', async () => {
    const graceMs = 3_000;
    const worker = await service.worker({ SHUTDOWN_GRACE_MS: String(graceMs) });
    const userIds = players(3);
    const sessions = createSessions(service, userIds);
    await until('they are in hand', () => service.platform.requests.length === 3);
    const toldAtMs = performance.now();
    worker.kill('SIGTERM');
    expect(await worker.ended()).toEqual({ code: 0, signal: null });
    expect(performance.now() - toldAtMs).toBeGreaterThanOrEqual(graceMs);
    expect(worker.stderr).toBe('');

    service.platform.behaviour = healthy();
    await service.worker();
    expect((await sessions).map((reply) => reply?.body['userId'])).toEqual(userIds);
    expect(service.caller.received).toHaveLength(3);
  });

  it('returns at once what the broker had sent before it heard of the stop', async () => {
    const gate = new Gate();
    service.platform.behaviour = gate.behind(healthy());
    const worker = await service.worker();
    const inHand = createSessions(service, ['in hand']);
    await until('it is in hand', () => gate.held === 1);
    service.proxy.stall();
    worker.kill('SIGTERM');
    await until('it stops', async () => (await worker.get('/health/ready')).status === 503);
    const underWay = service.caller.repliesTo('under way');
    await using publishing = await openConnection(service.url);
    publishing.channel.publish(
      service.name('commands'),
      'session.create',
      Buffer.from(JSON.stringify({ userId: 'under way' })),
      { replyTo: service.caller.replyQueue, correlationId: 'under way' },
    );
    await publishing.channel.waitForConfirms();
    // The broker sends it to the only consumer that it knows, and the line carries it there later.
    const { messageCount } = await publishing.channel.checkQueue(service.name('interactive'));
    expect(messageCount).toBe(0);
    service.platform.behaviour = healthy();
    service.proxy.resume();
    const other = await service.worker();
    expect(await underWay).toMatchObject([{ type: 'session.created' }]);
    gate.open();
    expect(await inHand).toMatchObject([{ type: 'session.created' }]);
    expect(other.stderr).toBe('');
  });

  it('does not wait for longer than the grace where the broker has gone', async () => {
    const graceMs = 1_000;
    const worker = await service.worker({ SHUTDOWN_GRACE_MS: String(graceMs) });
    const sessions = createSessions(service, players(1));
    await until('it is in hand', () => service.platform.requests.length === 1);
    service.proxy.refuse();
    service.proxy.cut();
    worker.kill('SIGTERM');
    expect(await worker.ended()).toEqual({ code: 0, signal: null });

    await service.proxy.open();
    service.platform.behaviour = healthy();
    await service.worker();
    expect(await sessions).toMatchObject([{ type: 'session.created' }]);
  });

  it('does not wait for longer than the grace where the broker says nothing more', async () => {
    const graceMs = 500;
    const worker = await service.worker({ SHUTDOWN_GRACE_MS: String(graceMs) });
    service.proxy.stall();
    worker.kill('SIGTERM');
    // Each close has a timer of its own: of the consumers, of their channels, of both connections.
    expect(await worker.ended()).toEqual({ code: 0, signal: null });
    expect(worker.stderr).toBe('');
    service.proxy.resume();
  });
});
