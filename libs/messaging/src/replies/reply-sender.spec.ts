import { expect, it } from '@jest/globals';

import type { Reply } from '#contracts';

import { commandOf } from '../command/command.fixture.ts';
import type { ConfirmedPublisher } from '../rabbitmq/publishing/confirmed-publisher.ts';
import type { PublishOutcome } from '../rabbitmq/publishing/confirming-channel.ts';
import type { DirectKeys } from '../rabbitmq/release-3.10/index.ts';
import type { Parking } from './parking.ts';
import { ReplySender } from './reply-sender.ts';

const REPLY: Reply = {
  type: 'session.created',
  data: { userId: 'p-1', sessionId: 's-1', auth: 'a-1', redirectUrl: 'https://play.example' },
};

/** A second is over after four tries. */
const TRY_MS = 300;

/** A sender whose queues refuse until they are opened; what it does is counted. */
function senderTo(isOpen: (queue: string) => boolean) {
  const parked: string[] = [];
  let tries = 0;
  let depthsAsked = 0;
  let nowMs = 0;
  const publisher = {
    publish: ({ routingKey }: { routingKey: string }): Promise<PublishOutcome> => {
      tries += 1;
      nowMs += TRY_MS;
      return Promise.resolve(isOpen(routingKey) ? 'confirmed' : 'refused');
    },
  };
  const sender = new ReplySender({
    publisher: publisher as unknown as ConfirmedPublisher,
    directKeys: {} as DirectKeys,
    parking: {
      park: (...[, , , reason]: unknown[]) => void parked.push(String(reason)),
    } as unknown as Parking,
    depthOf: () => Promise.resolve((depthsAsked += 1)),
    stallMs: 30_000,
    onReply: () => undefined,
    nowMs: () => nowMs,
  });
  const send = async (queue: string): Promise<number> => {
    tries = 0;
    await sender.sendFinal(commandOf({ properties: { replyTo: queue } }), REPLY);
    return tries;
  };
  const pass = (ms: number): void => void (nowMs += ms);
  return { send, pass, parked, depthsAsked: () => depthsAsked };
}

it('tries a queue that refuses for a second, and its further replies once', async () => {
  const { send, pass, parked, depthsAsked } = senderTo((queue) => queue !== 'full');
  expect(await send('full')).toBe(5);
  expect([await send('full'), await send('full'), await send('well')]).toEqual([1, 1, 1]);
  expect(parked).toEqual(['REPLY_QUEUE_FULL', 'REPLY_QUEUE_FULL', 'REPLY_QUEUE_FULL']);
  expect(depthsAsked()).toBe(1);
  pass(5_000);
  expect(await send('full')).toBe(5);
});

it('delivers at once to a queue that takes messages again', async () => {
  let isFull = true;
  const { send, parked } = senderTo(() => !isFull);
  await send('full');
  isFull = false;
  expect([await send('full'), parked.length]).toEqual([1, 1]);
});
