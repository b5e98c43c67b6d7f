import { setTimeout as sleep } from 'node:timers/promises';

import { expect, it } from '@jest/globals';

import { uniquePrefix } from '../support/broker.ts';
import { healthy } from '../support/platform-answers.ts';
import { ServiceUnderTest } from '../support/service-under-test.ts';
import { until } from '../support/until.ts';

/** A look at what is parked falls into it: they are three seconds apart. */
const STALL_MS = 4_000;
/** Until the next look, and for it. */
const ARRIVES_WITHIN_MS = 5_000;

it('a broker that was slow for a moment does not delay parked replies beyond the next look', async () => {
  await using service = await ServiceUnderTest.start({ behaviour: healthy(1) });
  await service.worker();
  const { channel } = service.caller;
  const replyTo = `${uniquePrefix()}-replies`;
  const parked = service.name('replies.undelivered');
  const depth = async (queue: string): Promise<number> => (await channel.checkQueue(queue)).messageCount;

  service.caller.publish('session.create', { userId: 'p-1' }, { messageId: 'id', replyTo });
  await until('it is parked', async () => (await depth(parked)) === 1);
  service.proxy.stall();
  await sleep(STALL_MS);
  await channel.assertQueue(replyTo, { durable: true });
  service.proxy.resume();
  const startedAtMs = performance.now();
  await until('it arrives', async () => (await depth(replyTo)) === 1);
  expect(performance.now() - startedAtMs).toBeLessThan(ARRIVES_WITHIN_MS);
  await channel.deleteQueue(replyTo);
});
