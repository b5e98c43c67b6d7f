import type { Channel } from 'amqplib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { Acknowledgements } from './acknowledgements.ts';
import { messageOf } from '../message.fixture.ts';

const message = (deliveryTag: number) => {
  const made = messageOf();
  return { ...made, fields: { ...made.fields, deliveryTag } };
};

/** The broker's view of a channel: its unsettled deliveries. An unknown tag would close the channel. */
function brokerWith(deliveries: number) {
  const open = new Set(Array.from({ length: deliveries }, (_, index) => index + 1));
  const frames: string[] = [];
  const settle = (tag: number, isMultiple: boolean) => {
    if (!open.has(tag)) throw new Error(`PRECONDITION_FAILED - unknown delivery tag ${tag}`);
    for (const candidate of open)
      if (candidate === tag || (isMultiple && candidate < tag)) open.delete(candidate);
  };
  const channel = {
    ack: ({ fields }: { fields: { deliveryTag: number } }, isMultiple: boolean) => {
      frames.push(`ack ${fields.deliveryTag}${isMultiple ? ' and below' : ''}`);
      settle(fields.deliveryTag, isMultiple);
    },
    nack: ({ fields }: { fields: { deliveryTag: number } }) => {
      frames.push(`nack ${fields.deliveryTag}`);
      settle(fields.deliveryTag, false);
    },
  } as unknown as Channel;
  return { open, frames, acknowledgements: new Acknowledgements(channel) };
}

describe('Acknowledgements', () => {
  it.each([
    ['tags without a gap as one frame', [[2, 1, 3, 5]], ['ack 3 and below', 'ack 5']],
    ['a tag that is still unacknowledged', [[2, 3], [1]], ['ack 2', 'ack 3', 'ack 1 and below']],
    [
      'a combined frame after a gap has closed',
      [[3], [2, 1], [4, 5]],
      ['ack 3', 'ack 2 and below', 'ack 5 and below'],
    ],
    ['a combined frame behind a requeued tag', [[-1, 2, 3]], ['nack 1', 'ack 3 and below']],
  ])('sends %s', (_, turns, sent) => {
    const { frames, acknowledgements } = brokerWith(5);
    for (const tags of turns) {
      for (const tag of tags) {
        if (tag < 0) acknowledgements.requeue(message(-tag));
        else acknowledgements.acknowledge(message(tag));
      }
      acknowledgements.flush();
    }
    expect(frames).toEqual(sent);
  });

  it('combines the acknowledgements of one turn without an explicit flush', async () => {
    const { frames, acknowledgements } = brokerWith(2);
    const settled = [1, 2].map(async (tag) => {
      // In the worker, a few promises lie between the confirm and the acknowledgement.
      for (let turns = 0; turns < tag; turns += 1) await Promise.resolve();
      acknowledgements.acknowledge(message(tag));
    });
    await Promise.all(settled);
    expect(frames).toEqual([]);
    await new Promise((resolve) => process.nextTick(resolve));
    expect(frames).toEqual(['ack 2 and below']);
  });

  it('ignores deliveries that are settled in the turn in which the channel closes', () => {
    const { acknowledgements } = brokerWith(0);
    acknowledgements.requeue(message(1));
    acknowledgements.acknowledge(message(2));
    expect(() => acknowledgements.flush()).not.toThrow();
  });

  it('settles exactly the given deliveries, in any order and over any number of turns', () => {
    const step = fc.record({
      tag: fc.integer({ min: 1, max: 40 }),
      isRequeued: fc.boolean(),
      ends: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.uniqueArray(step, { selector: ({ tag }) => tag, maxLength: 40 }), (steps) => {
        const { open, frames, acknowledgements } = brokerWith(40);
        for (const { tag, isRequeued, ends } of steps) {
          if (isRequeued) acknowledgements.requeue(message(tag));
          else acknowledgements.acknowledge(message(tag));
          if (ends) acknowledgements.flush();
        }
        acknowledgements.flush();
        expect(open.size).toBe(40 - steps.length);
        expect(steps.filter(({ tag }) => open.has(tag))).toEqual([]);
        expect(frames.length).toBeLessThanOrEqual(steps.length);
      }),
    );
  });
});
