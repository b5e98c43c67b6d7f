import { describe, expect, it } from '@jest/globals';

import type { BusReply } from './bus-reply.ts';
import { ReplyStream } from './reply-stream.ts';

const reply = (sequence: number, isFinal = false): BusReply => ({
  type: isFinal ? 'report.completed' : 'report.page',
  messageId: `id:${sequence}`,
  correlationId: 'id',
  headers: {},
  text: '{}',
  sequence,
  isFinal,
});

/** Sequences that were acknowledged, as they are. */
function streamOf(...replies: BusReply[]) {
  const stream = new ReplyStream();
  const acknowledged: number[] = [];
  const push = (one: BusReply): void => stream.push(one, () => acknowledged.push(one.sequence));
  replies.forEach(push);
  return { stream, acknowledged, push };
}

async function sequencesOf(stream: ReplyStream): Promise<number[]> {
  const sequences: number[] = [];
  for await (const { sequence } of stream.replies()) sequences.push(sequence);
  return sequences;
}

describe('ReplyStream', () => {
  it('gives the replies in order and ends with the final one', async () => {
    const { stream, acknowledged } = streamOf(reply(0), reply(1), reply(2, true));
    expect(await sequencesOf(stream)).toEqual([0, 1, 2]);
    expect(acknowledged).toEqual([0, 1, 2]);
  });

  it('waits for those that have not come yet', async () => {
    const { stream, push } = streamOf(reply(0));
    const read = sequencesOf(stream);
    await Promise.resolve();
    push(reply(1));
    push(reply(2, true));
    expect(await read).toEqual([0, 1, 2]);
  });

  it('acknowledges a reply when the next is asked for', async () => {
    const { stream, acknowledged } = streamOf(reply(0), reply(1, true));
    const replies = stream.replies();
    await replies.next();
    expect(acknowledged).toEqual([]);
    await replies.next();
    expect(acknowledged).toEqual([0]);
  });

  it('acknowledges what has come once its reader leaves', async () => {
    const { stream, acknowledged } = streamOf(reply(0), reply(1), reply(2, true));
    for await (const { sequence } of stream.replies()) if (sequence === 1) break;
    expect(acknowledged).toEqual([0, 1, 2]);
  });

  it('drops what redelivery repeats', async () => {
    const { stream, acknowledged } = streamOf(reply(0), reply(1), reply(0), reply(1), reply(2, true));
    expect(await sequencesOf(stream)).toEqual([0, 1, 2]);
    expect(acknowledged.toSorted()).toEqual([0, 0, 1, 1, 2]);
  });

  it('gives what has come before it fails', async () => {
    const { stream } = streamOf(reply(0));
    stream.fail(new Error('lost'));
    stream.fail(new Error('a later reason'));
    const replies = stream.replies();
    expect((await replies.next()).value).toMatchObject({ sequence: 0 });
    await expect(replies.next()).rejects.toThrow('lost');
  });

  it('wakes a reader to fail', async () => {
    const { stream } = streamOf();
    const read = sequencesOf(stream);
    await Promise.resolve();
    stream.fail(new Error('late'));
    await expect(read).rejects.toThrow('late');
  });
});
