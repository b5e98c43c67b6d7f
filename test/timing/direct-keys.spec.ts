import { randomUUID } from 'node:crypto';

import { expect, it } from '@jest/globals';

import { healthy } from '../support/platform-answers.ts';
import { ServiceUnderTest } from '../support/service-under-test.ts';
import { until } from '../support/until.ts';

const MANY = 30;
const SESSION = { userId: 'p-1' };

/** The broker has two seconds to refuse a key that it cannot read. */
it('no made-up direct reply-to key costs the worker its connection', async () => {
  await using service = await ServiceUnderTest.start({ behaviour: healthy() });
  const worker = await service.worker();
  const others = Array.from({ length: MANY }, (_, key) => {
    const replyTo = `amq.rabbitmq.reply-to.QUFB.${key}`;
    service.caller.publish('session.create', SESSION, { replyTo, messageId: randomUUID() });
    return service.caller.send('session.create', SESSION);
  });
  for (const replies of await Promise.all(others)) expect(replies.at(-1)?.type).toBe('session.created');
  const kept = service.name('replies.undelivered');
  await until('the others are kept', async () => {
    return (await service.caller.channel.checkQueue(kept)).messageCount === MANY;
  });
  expect(service.caller.received).toHaveLength(MANY);
  expect(worker.log.filter(({ msg }) => msg === 'the broker is not available')).toEqual([]);
});
