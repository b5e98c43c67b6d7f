import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { healthy } from '../../support/platform-answers.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';
import { INTERNAL_KEY, sealWith } from '../cli/kept-messages.ts';

const MIB = 1024 * 1024;
const PARKED_MIB = 240;
const MOST_GROWTH_MIB = 100;
/** Several walks of a worker through what is parked. */
const WALKS_MS = 12_000;

describe.each([
  ['60 kB', 60_000],
  ['1 MiB', MIB],
])('beside 240 MiB of parked replies, each of %s', (_, bytes) => {
  const service = serviceForAll({ behaviour: healthy(), variables: { INTERNAL_KEY } });

  it(`a worker takes at most ${MOST_GROWTH_MIB} MiB more, and leaves them in the queue`, async () => {
    const { channel } = service.caller;
    const parked = service.name('replies.undelivered');
    // Not through the proxy, which would share this process with the replies.
    await service.worker({ AMQP_URL: service.url });
    await service.caller.send('session.create', { userId: 'p-1' });
    const before = service.peakMib();

    const content = Buffer.alloc(bytes, 'x');
    const { properties } = sealWith().seal({
      exchange: '',
      routingKey: parked,
      mandatory: true,
      content,
      properties: {
        persistent: true,
        type: 'session.created',
        headers: { 'x-reason': 'REPLY_QUEUE_GONE', 'x-origin-queue': 'nobody-has-this-queue' },
      },
    });
    const count = (PARKED_MIB * MIB) / bytes;
    for (let n = 0; n < count; n += 1)
      if (!channel.sendToQueue(parked, content, properties)) await once(channel, 'drain');
    await sleep(WALKS_MS);
    const isParked = async () => (await service.depth('replies.undelivered')) === Math.ceil(count);
    await until('all are back in their places', isParked, 30_000);
    expect(service.peakMib() - before).toBeLessThan(MOST_GROWTH_MIB);
  });
});
