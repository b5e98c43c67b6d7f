import { Writable } from 'node:stream';

import { describe, expect, it } from '@jest/globals';
import type { ChannelModel } from 'amqplib';

import { corkWrites } from './cork-writes.ts';

/** A stream that notes what each system call of a socket would carry. */
function corked() {
  const calls: string[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => (calls.push(chunk.toString()), done()),
    writev: (chunks, done) => (calls.push(chunks.map(({ chunk }) => String(chunk)).join('')), done()),
  });
  corkWrites({ connection: { stream } } as unknown as ChannelModel);
  return { calls, stream };
}

const callback = () => new Promise((resolve) => process.nextTick(resolve));

describe('corkWrites', () => {
  it('sends what one callback writes at its end, in one call and in its order', async () => {
    const { calls, stream } = corked();
    for (const frame of ['a', 'b', 'c']) stream.write(frame);
    expect(calls).toEqual([]);
    await callback();
    expect(calls).toEqual(['abc']);
  });

  it('does so again in the next one', async () => {
    const { calls, stream } = corked();
    stream.write('a');
    await callback();
    for (const frame of ['b', 'c']) stream.write(frame);
    await callback();
    expect(calls).toEqual(['a', 'bc']);
  });

  it('calls back for each write, as a stream does', async () => {
    const { stream } = corked();
    const written = ['a', 'b'].map((frame) => new Promise((resolve) => stream.write(frame, resolve)));
    await expect(Promise.all(written)).resolves.toHaveLength(2);
  });
});
