import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { Gate, healthy, playerOf } from '../../support/platform-answers.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';
import { keepWorkers, type Workers } from '../../support/workers.ts';

const DELIVERY_LIMIT = 2;
/** The number of starts of a command before it moves to quarantine. */
const STARTS_IN_LANE = 3;
const NEIGHBOURS = 24;
/** Longer than all waits together. Each death has a minute of its own, in which another worker starts. */
const ALL_DEATHS_MS = 900_000;

describe('poison commands', () => {
  let workers: Workers;
  const gates = { beside: new Gate(), after: new Gate() };
  let deaths = 0;
  // End the workers before the service does: otherwise each would be replaced, and the replacement would keep
  // running.
  afterAll(() => workers[Symbol.asyncDispose]());
  const service = serviceForAll({
    behaviour: async (request, response, socket) => {
      const player = playerOf(request) ?? '';
      if (player !== 'poison') {
        const gate = player.startsWith('beside') ? gates.beside : gates.after;
        return gate.behind(healthy())(request, response, socket);
      }
      // In quarantine, it runs apart from harmless commands, and eventually alone.
      if (deaths < STARTS_IN_LANE)
        await until('its neighbours are in flight', () => gates.beside.held >= NEIGHBOURS);
      deaths += 1;
      gates.beside.forget();
      workers.programs[0]?.kill('SIGKILL');
      // At one more death, these would move to quarantine, too, and keep it from running alone.
      if (deaths >= STARTS_IN_LANE + DELIVERY_LIMIT) gates.after.open();
    },
    variables: { DELIVERY_LIMIT: String(DELIVERY_LIMIT) },
  });

  const repliesTo = (userId: string) =>
    service.caller.received.filter(({ correlationId }) => correlationId === userId);
  const killsUntil = async (what: string, isReached: () => boolean): Promise<void> => {
    for (let before = deaths; !isReached(); before = deaths)
      await until(`${what}, or it kills again`, () => isReached() || deaths > before);
  };

  beforeAll(async () => {
    workers = keepWorkers(1, () => service.start());
    const send = (userId: string): void =>
      service.caller.publish('session.create', { userId }, { messageId: userId, correlationId: userId });
    const sendGroup = (name: string): void => {
      for (let n = 0; n < NEIGHBOURS; n += 1) send(`${name}-${n}`);
    };

    await workers.areReady();
    sendGroup('beside');
    send('poison');
    await killsUntil('it is in quarantine', () => deaths >= STARTS_IN_LANE);
    gates.beside.open();
    sendGroup('after');
    await killsUntil('it is answered', () => repliesTo('poison').length > 0);
    gates.after.open();
    const answered = () => new Set(service.caller.received.map(({ correlationId }) => correlationId));
    await until('all are answered', () => answered().size === 2 * NEIGHBOURS + 1);
  }, ALL_DEATHS_MS);

  it('are answered POISON_COMMAND after DELIVERY_LIMIT starts alone', () => {
    const calls = service.platform.requests.filter((request) => playerOf(request) === 'poison').length;
    expect(calls).toBeGreaterThanOrEqual(STARTS_IN_LANE + DELIVERY_LIMIT);
    // Starts together with other commands do not count, and are few.
    expect(calls).toBeLessThanOrEqual(STARTS_IN_LANE + DELIVERY_LIMIT + 3);
    expect(repliesTo('poison')).toMatchObject([
      {
        type: 'command.failed',
        messageId: 'poison:0',
        body: { code: 'POISON_COMMAND', category: 'internal', retryable: false },
      },
    ]);
  });

  it('are dead-lettered, and no other command is', async () => {
    const letters = await service.deadLetters();
    expect(letters.map(({ properties }) => [properties.messageId, properties.headers?.['x-reason']])).toEqual(
      [['poison', 'POISON_COMMAND']],
    );
  });

  it('do not affect commands in flight at the same time', () => {
    for (const { correlationId, type, messageId, body } of service.caller.received) {
      if (correlationId === 'poison') continue;
      expect({ type, messageId, userId: body['userId'] }).toEqual({
        type: 'session.created',
        messageId: `${correlationId}:0`,
        userId: correlationId,
      });
    }
  });

  it('leave nothing behind', async () => {
    for (const queue of ['interactive', 'quarantine', 'replies.undelivered'])
      await until(`${queue} is empty`, async () => (await service.depth(queue)) === 0);
    // A worker that has just been killed does not answer; its successor does.
    const inFlight = () => workers.programs[0]?.metric('poker_commands_in_flight').catch(() => undefined);
    await until('all is acknowledged', async () => (await inFlight()) === 0);
  });
});
