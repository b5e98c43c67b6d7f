import { describe, expect, it } from '@jest/globals';

import { readReplyAddress } from './envelope.ts';

const everywhere = () => true;

describe('readReplyAddress', () => {
  it.each([
    [undefined, 'none'],
    [null, 'none'],
    ['', 'none'],
    [42, 'none'],
    ['amq.rabbitmq.reply-to', 'none'],
    ['\ufffd'.repeat(86), 'none'],
    ['poker.', 'forbidden'],
    ['poker.interactive', 'forbidden'],
    ['poker.replies.undelivered', 'forbidden'],
    ['poker.my-own-queue', 'forbidden'],
    ['amq.rabbitmq.reply-to.g1h2AA9yZXBseUA', 'direct'],
    ['amq.rabbitmq.reply-to.', 'direct'],
    ['amq.rabbitmq.reply-tomorrow', 'queue'],
    ['amq.gen-JzTY20BRgKO', 'queue'],
    ['lobby.replies', 'queue'],
    ['poker', 'queue'],
    ['pokerface', 'queue'],
    ['Poker.replies', 'queue'],
    [' poker.replies', 'queue'],
  ])('finds in %j: %s', (replyTo, kind) => {
    const address = readReplyAddress(replyTo, 'poker.', everywhere);
    expect(address).toEqual(kind === 'queue' || kind === 'direct' ? { kind, queue: replyTo } : { kind });
  });

  it('reserves the names of its own prefix alone', () => {
    expect(readReplyAddress('casino.reports', 'casino.', everywhere)).toEqual({ kind: 'forbidden' });
    expect(readReplyAddress('poker.reports', 'casino.', everywhere)).toEqual({
      kind: 'queue',
      queue: 'poker.reports',
    });
  });

  it.each([
    ['shop.replies', 'shop.replies'],
    ['amq.rabbitmq.reply-to.g1h2AA9yZXBseUA', 'amq.rabbitmq.reply-to'],
  ])('asks for %s whether the caller may name %s', (replyTo, name) => {
    const asked: string[] = [];
    const mayReplyTo = (queue: string): boolean => {
      asked.push(queue);
      return false;
    };
    expect(readReplyAddress(replyTo, 'poker.', mayReplyTo)).toEqual({ kind: 'forbidden' });
    expect(asked).toEqual([name]);
  });
});
