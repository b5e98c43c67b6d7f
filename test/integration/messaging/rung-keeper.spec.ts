import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { RungKeeper } from '../../../libs/messaging/src/topology/rung-keeper.ts';
import { drain, openConnection, type TestConnection, uniquePrefix } from '../../support/broker.ts';
import { until } from '../../support/until.ts';

const DELAY_MS = 16_000;
const EXPIRES_MS = 6_000;
const PAUSE_MS = 300;

describe('a rung of the ladder with messages that wait longer than it stands unused', () => {
  let broker: TestConnection;
  let names: { rung: string; lane: string };
  let keeper: RungKeeper;
  beforeEach(async () => {
    broker = await openConnection();
    const prefix = uniquePrefix();
    names = { rung: `${prefix}.rung`, lane: `${prefix}.lane` };
    await broker.channel.assertQueue(names.lane, { arguments: { 'x-queue-type': 'quorum' } });
    keeper = new RungKeeper([{ name: names.rung, arguments: rungArguments() }], 1_000);
  });
  afterEach(async () => {
    keeper.stop();
    for (const queue of Object.values(names)) await broker.channel.deleteQueue(queue);
    await broker[Symbol.asyncDispose]();
  });

  const rungArguments = () => ({
    'x-queue-type': 'quorum',
    'x-message-ttl': DELAY_MS,
    'x-expires': EXPIRES_MS,
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': names.lane,
    'x-dead-letter-strategy': 'at-least-once',
    'x-overflow': 'reject-publish',
  });
  const publish = async (bodies: readonly string[]) => {
    for (const body of bodies) {
      broker.channel.sendToQueue(names.rung, Buffer.from(body), { persistent: true });
      await broker.channel.waitForConfirms();
      // One that the keeper holds at the moment when it is due comes off as it is given back, some milliseconds later.
      await sleep(PAUSE_MS);
    }
  };
  it('is kept: each comes off it, in order', async () => {
    await keeper.use(broker.connection);
    keeper.keep(broker.connection);
    const bodies = ['one', 'two', 'three'];
    await publish(bodies);
    const arrived: string[] = [];
    await until(
      'all have come off',
      async () => {
        arrived.push(...(await drain(broker.channel, names.lane)));
        return arrived.length === bodies.length;
      },
      3 * DELAY_MS,
    );
    expect(arrived).toEqual(bodies);
  });
});
