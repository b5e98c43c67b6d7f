import { afterEach, describe, expect, it } from '@jest/globals';
import type { GetMessage } from 'amqplib';

import { found, testBrokerCtl } from '../../support/broker.ts';
import { createSessions, players, sessionsInFlight } from '../../support/create-sessions.ts';
import { healthy } from '../../support/platform-answers.ts';
import { answerJson } from '../../support/platform-stub.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

/** All exchanges except the default one. */
const EXCHANGES = ['commands', 'commands.unknown', 'events'];

const service = serviceForAll({ behaviour: healthy(), workers: 1 });
const queueOf = (queue: string) => found((channel) => channel.checkQueue(service.name(queue)));
const consumersOf = async (queue: string) => (await queueOf(queue))?.consumerCount;

describe('a consumer that gets no messages', () => {
  /**
   * Makes the broker remove the consumers of a queue as if the client had cancelled them, without a
   * notification.
   */
  const makeDeaf = (queue: string): Promise<string> =>
    testBrokerCtl(
      'eval',
      `{ok, Queue} = rabbit_amqqueue:lookup(rabbit_misc:r(<<"/">>, queue, <<"${service.name(queue)}">>)), ` +
        `[rabbit_channel_common:do(element(1, Consumer), {'basic.cancel', element(2, Consumer), true}) || ` +
        `Consumer <- rabbit_amqqueue:consumers(Queue)].`,
    );

  it('is detected because messages wait, is logged, and is recreated', async () => {
    // The consumer of the first commands, and the consumer of the rest of the prefetch.
    await until('it takes all of its prefetch', async () => (await consumersOf('interactive')) === 2);
    await makeDeaf('interactive');
    await until('the queue has no consumer', async () => (await consumersOf('interactive')) === 0);
    expect((await service.running.health()).bus.lanes['interactive']?.state).toBe('consuming');
    const userIds = players(5);
    const replies = await createSessions(service, userIds);
    expect(replies.map((reply) => reply?.body['userId'])).toEqual(userIds);
    expect(service.running.log.filter(({ msg }) => msg === 'consumer lost; recreating it')).toMatchObject([
      {
        level: 'warn',
        queue: service.name('interactive'),
        reason: 'its queue holds messages, and none came',
      },
    ]);
    expect(await consumersOf('interactive')).toBe(1);
    await service.running.ready();
    expect(service.running.stderr).toBe('');
  });
});

describe('a queue or exchange that an operator deletes while a worker is running', () => {
  afterEach(() => void (service.platform.behaviour = healthy()));

  const isThere = async (exchange: string): Promise<boolean> =>
    (await found((channel) => channel.checkExchange(service.name(exchange)))) !== undefined;
  /** Returns the only message of a queue that may not exist. */
  const takenFrom = async (queue: string): Promise<GetMessage | false> =>
    (await queueOf(queue))?.messageCount === 1 &&
    (await service.caller.channel.get(service.name(queue), { noAck: true }));
  const createSession = (userId: string) =>
    service.caller.send('session.create', { userId }, { messageId: userId });

  it.each(['interactive', 'quarantine'])(
    'is recreated with its consumer, without a lost reply: the queue %s',
    async (queue) => {
      const { gate, sessions } = await sessionsInFlight(service, [`before ${queue}`]);
      await service.caller.channel.deleteQueue(service.name(queue));
      await until('it is consumed again', async () => (await consumersOf(queue)) === 1);
      await service.running.ready();
      gate.open();
      expect(await sessions).toMatchObject([
        { type: 'session.created', body: { userId: `before ${queue}` } },
      ]);
      expect(await createSession(`after ${queue}`)).toMatchObject([{ type: 'session.created' }]);
    },
  );

  it.each([
    ['dead-letters', {}, 'VALIDATION_FAILED'],
    ['replies.undelivered', { userId: 'p-1' }, 'REPLY_QUEUE_GONE'],
  ])('is recreated when a message needs it: the queue %s', async (queue, data, reason) => {
    await service.caller.channel.deleteQueue(service.name(queue));
    service.caller.publish('session.create', data, { replyTo: 'nobody-has-this-queue' });
    const kept = await until('its message lies there', () => takenFrom(queue));
    expect(kept.properties.headers).toMatchObject({ 'x-reason': reason });
  });

  it('is recreated when a message needs it: the events exchange', async () => {
    service.platform.behaviour = (request, response, socket) =>
      request.url.pathname.includes('unlucky')
        ? answerJson(response, 404, { errors: [] })
        : healthy()(request, response, socket);
    await service.caller.channel.deleteExchange(service.name('events'));
    const neighbours = Array.from({ length: 10 }, (_, index) => createSession(`beside ${index}`));
    const [reply] = await createSession('unlucky');
    expect(reply?.body).toMatchObject({ code: 'PLAYER_NOT_FOUND' });
    for (const replies of await Promise.all(neighbours)) expect(replies.at(-1)?.type).toBe('session.created');
    // The replies may arrive before the worker learns that its channel was closed because of the
    // announcement.
    await until('the exchange is back', () => isThere('events'));
    await service.running.ready();

    const events = await service.caller.events();
    await createSession('unlucky again');
    await until('it is announced', () => events.length === 1);
    expect(events[0]?.fields.routingKey).toBe('command.failed.PLAYER_NOT_FOUND');
  });

  it('is recreated within 30 seconds, or used and reported if it was redeclared differently', async () => {
    const { caller, proxy, running } = service;
    const { channel } = caller;
    const lastError = async () => (await running.health()).bus.lastError;
    const [events = '', lane = '', letters = ''] = ['events', 'interactive', 'dead-letters'].map((each) =>
      service.name(each),
    );
    await channel.deleteQueue(letters);
    for (const exchange of EXCHANGES) await channel.deleteExchange(service.name(exchange));
    await channel.assertExchange(events, 'fanout');
    await channel.deleteQueue(lane);
    await channel.assertQueue(lane);
    const connections = proxy.accepted;
    await until('health says so', async () => (await lastError())?.includes(`exchange ${events}`), 30_000);
    expect(await Promise.all(EXCHANGES.map(isThere))).toEqual(EXCHANGES.map(() => true));
    const unknown = await caller.sendForOne('no.such.command', {});
    expect(unknown.body['code']).toBe('UNKNOWN_COMMAND');
    await until('it is dead-lettered', async () => (await service.deadLetters()).length === 1);
    await running.ready();
    await service.expectServed();
    expect(proxy.accepted).toBe(connections);

    await channel.deleteExchange(events);
    await channel.deleteQueue(lane);
    // Existing queues and exchanges are compared after a reconnect as well.
    proxy.cut();
    await until('all is well', async () => (await lastError()) === undefined);
    expect(await isThere('events')).toBe(true);
    const lines = running.log.filter(({ msg }) => String(msg).startsWith('broker topology differs'));
    expect(lines).toMatchObject([{ level: 'error' }]);
  });
});
