import { describe, expect, it } from '@jest/globals';

import { type ConfirmedPublisher, UnconfirmedError } from './confirmed-publisher.ts';
import type { PublishOutcome } from './confirming-channel.ts';
import type { OutgoingMessage } from './outgoing-message.ts';
import { CopyPublisher } from './copy-publisher.ts';

const COPY: OutgoingMessage = {
  exchange: '',
  routingKey: 'poker.quarantine',
  content: Buffer.alloc(0),
  properties: { headers: {} },
  mandatory: true,
};

/** A broker that answers with these outcomes in turn, then confirms. */
function copiesWith(outcomes: PublishOutcome[], redeclare: () => Promise<void> = () => Promise.resolve()) {
  const publish = () => Promise.resolve(outcomes.shift() ?? 'confirmed');
  const publisher = { publish } as unknown as ConfirmedPublisher;
  return new CopyPublisher(publisher, redeclare, Date.now);
}

describe('CopyPublisher', () => {
  it('declares a queue again that has gone, and publishes again', async () => {
    let redeclared = 0;
    const copies = copiesWith(['returned', 'returned'], async () => void (redeclared += 1));
    await copies.publish(COPY, () => true);
    expect(redeclared).toBe(2);
  });

  it('waits for the next connection if the queue and the connection have gone', async () => {
    const copies = copiesWith(['returned'], () => Promise.reject(new Error('Connection closed')));
    await copies.publish(COPY, () => true);
  });

  it('gives up if the queue goes again and again', async () => {
    const copies = copiesWith(['returned', 'returned', 'returned']);
    await expect(copies.publish(COPY, () => true)).rejects.toThrow(UnconfirmedError);
  });
});
