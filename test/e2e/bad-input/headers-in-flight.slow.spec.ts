import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect, it } from '@jest/globals';

import { healthy } from '../../support/platform-answers.ts';
import { entry, publishRaw, raw } from '../../support/raw-message.ts';
import { serviceForEach } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

const SESSION = Buffer.from('{"userId":"p-1"}');
const PLATFORM_MS = 3_000;
const INNOCENT = 100;
/** RabbitMQ needs a second to deliver the deepest headers on an idle machine, and seven on a busy one. */
const MOST_MS = 20_000;
const COMMANDS = 2_000;
const MOST_GROWTH_MIB = 120;
/** As much as a broker with the recommended `frame_max` takes; of 130 kB, it delivers some ten a second. */
const NULLS = entry('a', raw.nulls(32_000));

const answer = healthy();
const service = serviceForEach({
  behaviour: async (...request) => {
    await sleep(PLATFORM_MS);
    await answer(...request);
  },
});

/** Sends it as it is, and waits while the connection takes no more. */
async function send(id: string, headers?: Buffer): Promise<void> {
  const { caller } = service;
  const to = { exchange: service.name('commands'), routingKey: 'session.create' };
  const properties = { messageId: id, correlationId: id, replyTo: caller.replyQueue, headers };
  if (!publishRaw(caller.channel, to, properties, SESSION)) await once(caller.channel, 'drain');
}

it('100 kB of lists in lists hold up nobody for long, and become a dead letter', async () => {
  const { caller } = service;
  await service.worker({ AMQP_URL: service.url });
  const refused = caller.repliesTo('deep');
  await send('deep', entry('a', raw.nested(20_000)));
  const startedAtMs = performance.now();
  const others = Array.from({ length: INNOCENT }, (_, n) =>
    caller.sendForOne('session.create', { userId: `p-${n}` }),
  );
  for (const { type } of await Promise.all(others)) expect(type).toBe('session.created');
  expect(performance.now() - startedAtMs).toBeLessThan(MOST_MS);
  expect(await refused).toMatchObject([{ body: { violations: [{ pointer: '/headers' }] } }]);
  await until('it is a dead letter', async () => (await service.depth('dead-letters')) === 1);
});

it('2,000 commands with 32 kB of nulls as headers take little memory', async () => {
  const { caller } = service;
  // Not through the proxy, which would share this process with them.
  await service.worker({ AMQP_URL: service.url });
  await sleep(2_500);
  const before = service.peakMib();
  const replies = Array.from({ length: COMMANDS }, (_, n) => caller.repliesTo(`${n}`));
  for (let n = 0; n < COMMANDS; n += 1) await send(`${n}`, NULLS);
  await Promise.all(replies);
  expect(service.peakMib() - before).toBeLessThan(MOST_GROWTH_MIB);
});
