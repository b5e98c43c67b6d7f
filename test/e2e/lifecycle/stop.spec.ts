import { once } from 'node:events';
import { connect } from 'node:net';

import { describe, expect, it } from '@jest/globals';

import { createSessions, players } from '../../support/create-sessions.ts';
import { DAY, Gate, healthy, PAGED_DAY, silent } from '../../support/platform-answers.ts';
import { serviceForAll, serviceForEach } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

/** Makes a worker print when it listens for the signal, and whether it has begun to load Nest by then. */
const TELL_LISTENING = `
  import { registerHooks } from 'node:module';
  let when = 'early';
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier.startsWith('@nestjs/')) when = 'late';
      return next(specifier, context);
    },
  });
  process.on('newListener', (event) => {
    if (event === 'SIGTERM') process.stderr.write('listens ' + when);
  });`;

describe('a worker that is stopped', () => {
  const service = serviceForEach({ behaviour: silent });

  it('answers in-flight commands, consumes no more, and exits with code 0', async () => {
    const gate = new Gate();
    service.platform.behaviour = gate.behind(healthy());
    const worker = await service.worker({ INTERACTIVE_PREFETCH: '4' });
    const userIds = players(10);
    const sessions = createSessions(service, userIds);
    await until('four are in flight', () => gate.held === 4);

    worker.kill('SIGTERM');
    await until('it stops', async () => (await worker.get('/health/ready')).status === 503);
    expect((await worker.get('/health/live')).status).toBe(200);
    expect((await worker.health()).bus.lanes['interactive']).toMatchObject({
      state: 'draining',
      inFlight: 4,
    });
    gate.open();
    expect(await worker.ended()).toEqual({ code: 0, signal: null });
    expect(worker.stderr).toBe('');

    expect(service.platform.requests).toHaveLength(4);
    expect(service.caller.received.map(({ type }) => type)).toEqual(Array<string>(4).fill('session.created'));
    await until('the others are in their queue', async () => (await service.depth('interactive')) === 6);

    await service.worker();
    expect((await sessions).map((reply) => reply?.body['userId'])).toEqual(userIds);
    expect(service.platform.requests).toHaveLength(10);
    expect(service.caller.received).toHaveLength(10);
  });

  it('finishes the report in flight, and does not wait for clients of its health endpoints', async () => {
    const gate = new Gate();
    service.platform.behaviour = gate.behind(healthy(3));
    const worker = await service.worker();
    const report = service.caller.send('report.rake.fetch', PAGED_DAY);
    await until('it is in flight', () => gate.held === 1);
    // Clients that keep connections to the health endpoints open.
    const port = Number(new URL(await worker.url()).port);
    const [mute, halfway] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
    halfway.write('GET /health HTTP/1.1\r\n');
    for (const socket of [mute, halfway]) socket.on('error', () => undefined);
    await Promise.all([once(mute, 'connect'), once(halfway, 'connect')]);
    worker.kill('SIGTERM');
    await until('it stops', async () => (await worker.get('/health/ready')).status === 503);
    gate.open();
    const replies = await report;
    expect(replies.map(({ type }) => type)).toEqual([
      ...Array<string>(3).fill('report.page'),
      'report.completed',
    ]);
    expect(await worker.ended()).toEqual({ code: 0, signal: null });
  });

  it('exits with code 0 before it has loaded its modules', async () => {
    const preload = `data:text/javascript,${encodeURIComponent(TELL_LISTENING)}`;
    const worker = service.start({ NODE_OPTIONS: `--import=${preload}` });
    await until('it listens', () => worker.stderr.startsWith('listens'));
    worker.kill('SIGTERM');
    expect(await worker.ended()).toEqual({ code: 0, signal: null });
    expect(worker.stderr).toBe('listens early');
  });

  it('exits immediately on a second signal, and loses no command', async () => {
    const worker = await service.worker();
    const sessions = createSessions(service, players(2));
    await until('they are in flight', () => service.platform.requests.length === 2);
    worker.kill('SIGTERM');
    await until('it stops', async () => (await worker.get('/health/ready')).status === 503);
    worker.kill('SIGINT');
    await worker.ended();

    service.platform.behaviour = healthy();
    await service.worker();
    expect(await sessions).toMatchObject([{ type: 'session.created' }, { type: 'session.created' }]);
  });
});

describe('workers of one lane each', () => {
  const service = serviceForAll({ behaviour: healthy(1) });

  it('serve only that lane', async () => {
    const worker = await service.worker({ LANES: 'interactive' });
    // The broker discards messages that expire in a lane without consumers, without a reply.
    service.caller.publish('report.rake.fetch', DAY, { expiration: '20', messageId: 'expired' });
    const [expired] = await until('it is a dead letter', () => service.deadLetters());
    expect(expired?.properties.headers).toMatchObject({ 'x-death': [{ reason: 'expired', count: 1 }] });

    const report = service.caller.send('report.rake.fetch', DAY);
    // Published directly to the other lane's queue; the worker that consumes it moves it.
    const stray = service.caller.repliesTo('stray');
    service.caller.channel.sendToQueue(service.name('interactive'), Buffer.from(JSON.stringify(DAY)), {
      type: 'report.ad-hoc.fetch',
      messageId: 'stray',
      correlationId: 'stray',
      replyTo: service.caller.replyQueue,
    });
    await service.expectServed();
    const { status, bus } = await worker.health();
    expect({ status, lanes: Object.keys(bus.lanes) }).toEqual({ status: 200, lanes: ['interactive'] });
    await until('both reports wait', async () => (await service.depth('reports')) === 2);
    expect(service.platform.requests).toHaveLength(1);
    await service.worker({ LANES: 'reports' });
    for (const replies of await Promise.all([report, stray]))
      expect(replies.map(({ type }) => type)).toEqual(['report.page', 'report.completed']);
  });
});
