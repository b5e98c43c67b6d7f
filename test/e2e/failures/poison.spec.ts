import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type Broker, startBroker } from '../../../scripts/broker/start-broker.ts';
import type { ReceivedReply } from '../../support/bus-caller.ts';
import { Gate, healthy, playerOf } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { Supervisor } from '../../support/supervisor.ts';
import { until } from '../../support/until.ts';

describe('poison', () => {
  const DELIVERY_LIMIT = 2;
  /** Before a command goes into quarantine. */
  const STARTS_IN_LANE = 3;
  const NEIGHBOURS = 24;
  /** Time to start as many workers as the command kills, one after the other, on a busy machine. */
  const ALL_STARTS_MS = 150_000;

  describe('a command that kills its worker', () => {
    let service: ServiceUnderTest;
    let supervisor: Supervisor;
    const gates = { beside: new Gate(), after: new Gate() };
    let deaths = 0;
    let poison: ReceivedReply[];
    let neighbours: ReceivedReply[];

    beforeAll(async () => {
      service = await ServiceUnderTest.start({
        behaviour: async (request, response, socket) => {
          const player = playerOf(request) ?? '';
          if (player !== 'poison') {
            const gate = player.startsWith('beside') ? gates.beside : gates.after;
            return gate.behind(healthy())(request, response, socket);
          }
          // In quarantine it is started apart from what is harmless, sooner or later alone.
          if (deaths < STARTS_IN_LANE) {
            await until('its neighbours are in flight', () => gates.beside.held >= NEIGHBOURS);
          }
          deaths += 1;
          gates.beside.forget();
          supervisor.worker.kill('SIGKILL');
        },
        variables: { DELIVERY_LIMIT: String(DELIVERY_LIMIT) },
      });
      supervisor = new Supervisor(() => service.start());
      const send = (userId: string): Promise<ReceivedReply[]> => {
        const replies = service.caller.repliesTo(userId, ALL_STARTS_MS);
        service.caller.publish('session.create', { userId }, { messageId: userId, correlationId: userId });
        return replies;
      };
      const group = (name: string) =>
        Array.from({ length: NEIGHBOURS }, (_, index) => send(`${name}-${index}`));

      await supervisor.worker.ready();
      const sent = group('beside');
      const poisoned = send('poison');
      await until('it is in quarantine', () => deaths >= STARTS_IN_LANE, ALL_STARTS_MS);
      gates.beside.open();
      sent.push(...group('after'));
      poison = await poisoned;
      gates.after.open();
      neighbours = (await Promise.all(sent)).flat();
    });

    afterAll(async () => {
      supervisor.stop();
      await service[Symbol.asyncDispose]();
    });

    it('is answered POISON_COMMAND after DELIVERY_LIMIT starts that nothing ran beside', () => {
      const calls = service.platform.requests.filter((request) => playerOf(request) === 'poison').length;
      expect(calls).toBeGreaterThanOrEqual(STARTS_IN_LANE + DELIVERY_LIMIT);
      // Starts beside others are not counted against it, and there are few of them.
      expect(calls).toBeLessThanOrEqual(STARTS_IN_LANE + DELIVERY_LIMIT + 3);
      expect(poison).toMatchObject([
        {
          type: 'command.failed',
          messageId: 'poison:0',
          body: { code: 'POISON_COMMAND', category: 'internal', retryable: false },
        },
      ]);
    });

    it('is dead-lettered, and no other command', async () => {
      const letters = await service.caller.drain(service.name('dead-letters'));
      expect(
        letters.map(({ properties }) => [properties.messageId, properties.headers?.['x-reason']]),
      ).toEqual([['poison', 'POISON_COMMAND']]);
    });

    it('does not affect commands that were in flight beside it each time', () => {
      expect(neighbours).toHaveLength(2 * NEIGHBOURS);
      for (const { correlationId, type, messageId, body } of service.caller.received) {
        if (correlationId === 'poison') continue;
        expect({ type, messageId, userId: body['userId'] }).toEqual({
          type: 'session.created',
          messageId: `${correlationId}:0`,
          userId: correlationId,
        });
      }
    });

    it('leaves nothing behind', async () => {
      for (const queue of ['interactive', 'quarantine', 'replies.undelivered']) {
        await until(
          `${queue} is empty`,
          async () => (await service.caller.channel.checkQueue(service.name(queue))).messageCount === 0,
        );
      }
      await until(
        'all is acknowledged',
        async () => (await supervisor.worker.metric('poker_commands_in_flight')) === 0,
      );
    });
  });
});

describe('message too large', () => {
  const MAX_MESSAGE_BYTES = 20_000;
  const RAKE = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00', perPage: 1_000 };

  /** RabbitMQ 4 takes 16 MiB by default, as much as a page of the platform may have. */
  describe('a page that is too large for the broker', () => {
    let broker: Broker;
    let service: ServiceUnderTest;

    beforeAll(async () => {
      broker = await startBroker({ settings: [`{max_message_size, ${MAX_MESSAGE_BYTES}}`] });
      service = await ServiceUnderTest.start({ behaviour: healthy(1_000), url: broker.url });
    });

    afterAll(async () => {
      await service?.[Symbol.asyncDispose]();
      await broker?.stop();
    });

    it('fails its report, which is answered, and costs nobody else the connection', async () => {
      const worker = await service.worker();
      const reports = Array.from({ length: 5 }, () => service.caller.sendForOne('report.rake.fetch', RAKE));
      const sessions = Array.from({ length: 50 }, (_, index) =>
        service.caller.sendForOne('session.create', { userId: `p-${index}` }),
      );
      for (const { type, body } of await Promise.all(reports))
        expect([type, body['code']]).toEqual(['command.failed', 'INTERNAL_ERROR']);
      for (const { type } of await Promise.all(sessions)) expect(type).toBe('session.created');
      expect(service.platform.requests.filter((request) => playerOf(request) === undefined)).toHaveLength(5);
      expect(worker.log.filter(({ msg }) => msg === 'the broker is not available')).toEqual([]);
      await until('it is logged', () =>
        JSON.stringify(worker.log).includes(`is larger than configured max size ${MAX_MESSAGE_BYTES}`),
      );
    });
  });
});
