import { once } from 'node:events';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { PassThrough } from 'node:stream';

import { afterAll, afterEach, beforeEach, expect, it } from '@jest/globals';
import type { ChannelModel } from 'amqplib';

import { writeStraight } from './write-straight.ts';

type Muxer = Readonly<{ pipeFrom(queue: PassThrough): void }>;

const FRAME_BYTES = 128 * 1024;
/** More frames than a socket accepts while its peer does not read. */
const MANY = 100;

const require = createRequire(import.meta.url);
// amqplib does not export its multiplexer.
const { Mux } = require(`${dirname(require.resolve('amqplib'))}/lib/mux.js`) as {
  readonly Mux: new (stream: Socket) => Muxer;
};
const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => void server.close());

let stream: Socket;
/** The peer, which reads nothing until `arriving` is called. */
let other: Socket;
let newQueue: () => PassThrough;

beforeEach(async () => {
  const connected = once(server, 'connection');
  stream = connect((server.address() as AddressInfo).port, '127.0.0.1');
  [other] = (await connected) as [Socket];
  const muxer = new Mux(stream);
  writeStraight({ connection: { stream, muxer } } as unknown as ChannelModel);
  newQueue = () => {
    // Created as amqplib creates it.
    const queue = new PassThrough({ objectMode: true, highWaterMark: 1_024 });
    muxer.pipeFrom(queue);
    return queue;
  };
});
afterEach(() => void [stream, other].map((socket) => socket.destroy()));

const frameOf = (number: number): Buffer => Buffer.alloc(FRAME_BYTES, number);

/** Returns the numbers of the frames in arrival order. */
async function arriving(count: number): Promise<number[]> {
  const chunks: Buffer[] = [];
  let left = count * FRAME_BYTES;
  for await (const chunk of other as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    left -= chunk.length;
    if (left === 0) break;
  }
  const bytes = Buffer.concat(chunks);
  return Array.from({ length: count }, (_, index) => bytes[index * FRAME_BYTES] as number);
}

it('writes a frame to the socket at once while the socket accepts more', async () => {
  newQueue().write(frameOf(1));
  expect(stream.writableLength).toBe(FRAME_BYTES);
  expect(await arriving(1)).toEqual([1]);
});

it('alternates between channels when the socket is full, so that a reply does not wait for a long page', async () => {
  const [pages, replies] = [newQueue(), newQueue()];
  for (let sent = 0; sent < MANY; sent += 1) pages.write(frameOf(1));
  replies.write(frameOf(2));
  expect((await arriving(MANY + 1)).indexOf(2)).toBeLessThan(10);
});

it('keeps the frames of a channel in order, even if one is written when the socket drains', async () => {
  const queue = newQueue();
  const numbers = Array.from({ length: MANY }, (_, index) => index);
  const write = () => queue.write(frameOf(sent++));
  let sent = 0;
  stream.prependListener('drain', () => sent < MANY && write());
  while (sent < MANY / 2) write();
  expect(await arriving(MANY)).toEqual(numbers);
});
