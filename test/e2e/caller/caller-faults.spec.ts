import { describe, expect, it } from '@jest/globals';

import { uniquePrefix } from '../../support/broker.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import { callersForAll, DAY, PATIENT } from './open-callers.ts';

describe('@poker-bridge/caller, under faults', () => {
  const suite = callersForAll();

  it('ends a call at its deadline, by its signal, and when the caller is closed', async () => {
    const { caller, callers, service } = suite;
    const { proxy } = service;
    const leaving = new AbortController();
    const leaver = callers.open();
    proxy.stall();
    const calls = [
      caller.createSession({ userId: 'alice' }, { deadlineMs: 1 }),
      callers.open({ url: 'amqp://127.0.0.1:1' }).createSession({ userId: 'alice' }, { deadlineMs: 1 }),
      caller.createSession({ userId: 'alice' }, { signal: leaving.signal }),
      leaver.createSession({ userId: 'alice' }),
    ];
    const settled = Promise.allSettled(calls);
    leaving.abort(new Error('the player has left'));
    await leaver.close();
    const reasons = (await settled).map((one) => (one as PromiseRejectedResult).reason);
    proxy.resume();
    expect(reasons).toMatchObject([
      { code: 'NO_REPLY', retryable: true },
      { code: 'NOT_SENT', message: expect.stringContaining('ECONNREFUSED') },
      { message: 'the player has left' },
      { code: 'CALLER_CLOSED' },
    ]);
  });

  it('fails immediately if no queue is bound or the broker refuses the command', async () => {
    const { bus, callers } = suite;
    const empty = uniquePrefix();
    await bus.channel.assertExchange(`${empty}.commands`, 'direct');
    for (const prefix of [uniquePrefix(), empty]) {
      const lost = callers.open({ prefix });
      const nobody = { code: 'NO_WORKER', retryable: false };
      await expect(lost.createSession({ userId: 'alice' }, PATIENT)).rejects.toMatchObject(nobody);
      await expect(lost.fetchRakeReport(DAY, PATIENT).records().next()).rejects.toMatchObject(nobody);
    }
    await bus.channel.deleteExchange(`${empty}.commands`);
  });

  it('fails only the command that the broker refuses, not concurrent ones', async () => {
    const { caller, platform } = suite;
    const before = await platform.received('session');
    const { properties, ...command } = caller.prepare('session.create', { userId: 'alice' });
    const forged = { ...command, properties: { ...properties, userId: 'somebody' } };
    const elsewhere = { ...command, exchange: 'no-such-exchange', properties };
    const good = Array.from({ length: 40 }, () => caller.createSession({ userId: 'alice' }, PATIENT));
    const bad = [forged, elsewhere, forged].map((one) => caller.publish(one, PATIENT));
    const settled = await Promise.allSettled(bad);
    expect(settled.map((one) => (one as PromiseRejectedResult).reason)).toMatchObject([
      { code: 'NOT_PERMITTED', category: 'misconfigured', retryable: false },
      { code: 'NO_WORKER' },
      { code: 'NOT_PERMITTED' },
    ]);
    expect(await Promise.all(good)).toHaveLength(40);
    expect((await platform.received('session')) - before).toBe(40);
  });

  it('fails immediately with LOGIN_REFUSED if the broker refuses the login', async () => {
    const { callers, service } = suite;
    for (const wrong of [{ password: 'wrong' }, { pathname: '/no-such-virtual-host' }]) {
      const { href: url } = Object.assign<URL, Partial<URL>>(new URL(service.url), wrong);
      const refused = callers.open({ url });
      const reason = { code: 'LOGIN_REFUSED', category: 'misconfigured', retryable: false };
      await expect(refused.createSession({ userId: 'alice' }, PATIENT)).rejects.toMatchObject(reason);
      await expect(refused.ready()).rejects.toMatchObject(reason);
      await refused.close();
    }
  });

  it('does not accept a reply of a newer version as the result of a call', async () => {
    const { bus, caller, platform } = suite;
    await platform.fault({ kind: 'latency', fixedMs: 2_000, operation: 'session' });
    const call = caller.createSession({ userId: 'alice' }, { ...PATIENT, id: 'newer' });
    const properties = { type: 'session.queued', headers: { 'command-id': 'newer' } };
    bus.channel.sendToQueue(caller.replyQueue, Buffer.from('{}'), properties);
    await expect(call).rejects.toMatchObject({ code: 'REPLY_UNREADABLE', retryable: false });
    await platform.clearFaults();
  });

  it('rejects a second process of an instance immediately, and waits for the lock after a reconnect', async () => {
    const { callers, service } = suite;
    await using proxy = await TcpProxy.start(service.url);
    const first = callers.open({ instance: 'one' });
    await first.ready();
    const second = callers.open({ instance: 'one', url: proxy.through(service.url) });
    const taken = { code: 'INSTANCE_TAKEN', message: expect.stringContaining('.replies.one') };
    await expect(second.createSession({ userId: 'alice' }, PATIENT)).rejects.toMatchObject(taken);
    expect(second.lastError).toContain('another process consumes');
    await first.close();
    await until('it takes over', () => second.lastError === undefined);
    expect(await second.createSession({ userId: 'alice' }, PATIENT)).toMatchObject({ userId: 'alice' });
    proxy.refuse();
    proxy.cut();
    const third = callers.open({ instance: 'one' });
    await third.createSession({ userId: 'alice' }, PATIENT);
    await proxy.open();
    await until('it meets the lock', () => second.lastError?.includes('another process consumes'));
    const waiting = second.createSession({ userId: 'alice' }, PATIENT);
    const [session] = await Promise.all([waiting, third.close()]);
    expect(session).toMatchObject({ userId: 'alice' });
  });

  it('gives each process without an instance its own queue, and reuses queues of ended processes', async () => {
    const { bus, callers } = suite;
    const name = uniquePrefix();
    const eight = Array.from({ length: 8 }, () => callers.open({ name, instance: undefined }));
    await Promise.all(eight.map((one) => one.createSession({ userId: 'alice' }, PATIENT)));
    const queues = eight.map(({ replyQueue }) => replyQueue);
    expect(queues.toSorted()).toEqual(Array.from({ length: 8 }, (_, n) => `${name}.replies.${n}`));
    await eight[3]?.close();
    bus.channel.sendToQueue(queues[3]!, Buffer.from('{"userId":"p-1"}'), {
      type: 'session.created',
      messageId: 'left:0',
      headers: { 'command-id': 'left', sequence: 0, final: true },
    });
    const { inbox, replies } = callers.collecting({ name, instance: undefined });
    await inbox.ready();
    expect(inbox.replyQueue).toBe(queues[3]);
    await until('what was left is handled', () => replies[0]?.commandId === 'left');
  });
});
