import { isUtf8 } from 'node:buffer';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';

import { describe, expect, it } from '@jest/globals';
import type { ChannelModel } from 'amqplib';
import fc from 'fast-check';

import { boundHeaders, DROPPED_HEADERS } from '#rabbitmq';

import { fieldTable } from '../../support/fuzz/field-table.ts';
import { entry, headerFrame, raw, type RawProperties } from '../../support/raw-message.ts';

interface Frame {
  readonly channel: number;
  readonly size: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

interface AmqpConnection {
  rest: Buffer;
  recvFrame(): Frame | false;
}

/** amqplib's own connection; there is no other way to see the frames of a client. */
const require = createRequire(import.meta.url);
const { Connection } = require(join(dirname(require.resolve('amqplib')), 'lib', 'connection.js')) as {
  Connection: new (stream: PassThrough) => AmqpConnection;
};

/** Decodes frames as a connection does that received them in these pieces. */
function decoded(pieces: readonly Buffer[], known?: readonly string[] | 'unbounded'): Frame[] {
  const stream = new PassThrough();
  const connection = new Connection(stream);
  if (known !== 'unbounded') boundHeaders({ connection } as unknown as ChannelModel, known && new Set(known));
  const frames: Frame[] = [];
  for (const piece of pieces) {
    stream.write(piece);
    for (let frame = connection.recvFrame(); frame; frame = connection.recvFrame()) frames.push(frame);
  }
  return frames;
}

const ALL: RawProperties = {
  contentType: 'application/json',
  correlationId: 'c-1',
  replyTo: 'shop',
  messageId: 'm-1',
  type: 'session.create',
};
const OTHERS = { ...ALL, contentEncoding: undefined };
const framed = (...headers: readonly Buffer[]) =>
  headerFrame(7, { ...ALL, headers: Buffer.concat(headers) }, 16);
const next = headerFrame(8, { messageId: 'next' }, 3);
const headersOf = (frame: Buffer, known?: readonly string[]) => {
  const [first, second, ...more] = decoded([Buffer.concat([frame, next])], known);
  expect(first).toMatchObject({ channel: 7, size: 16, fields: OTHERS });
  expect([second?.fields['messageId'], more]).toEqual(['next', []]);
  return first?.fields['headers'];
};

describe('the headers of a message', () => {
  it('equal what amqplib decodes if they are ordinary', () => {
    fc.assert(
      fc.property(fieldTable, (table) => {
        const frame = framed(table);
        expect(decoded([frame])).toEqual(decoded([frame], 'unbounded'));
      }),
    );
  });

  it('are reduced to the known headers of a connection', () => {
    const frame = framed(
      entry('a', raw.nested(10)),
      entry('operator', raw.text('acme')),
      entry('b', raw.nothing()),
      entry('x-deadline', raw.text('1')),
    );
    expect(headersOf(frame, ['operator', 'x-deadline'])).toEqual({ operator: 'acme', 'x-deadline': '1' });
    expect(headersOf(frame, ['other'])).toEqual({});
    expect(headersOf(frame)).toMatchObject({ operator: 'acme', b: null });
  });

  it('have no member that a header named __proto__ contains', () => {
    const frame = framed(entry('__proto__', raw.table(entry('operator', raw.text('acme')))));
    const { operator } = headersOf(frame, ['operator']) as { readonly operator?: unknown };
    expect(operator).toBeUndefined();
  });

  it.each([
    ['take 16 KiB', framed(entry('a', raw.nulls(16 * 1024 - 2)))],
    [
      'take 16 KiB without what the broker counts',
      framed(entry('a', raw.nulls(16 * 1024 - 2)), entry('x-delivery-count', Buffer.from([0x62, 1]))),
    ],
    ['are nested 32 deep', framed(entry('a', raw.nested(32)), entry('b', raw.nested(32, 'F')))],
  ])('are decoded if they %s', (_, frame) => {
    expect(headersOf(frame)).toHaveProperty('a');
  });

  it.each([
    ['take a byte more than 16 KiB', framed(entry('a', raw.nulls(16 * 1024 - 1)))],
    [
      'take 100 bytes more, as counts',
      framed(...Array.from({ length: 6 }, () => entry('x-delivery-count', raw.nulls(2_740)))),
    ],
    ['are nested 33 deep', framed(entry('a', raw.nested(33)))],
    ['hold a type that there is not', framed(entry('a', Buffer.from('?')))],
    ['end within a name', framed(Buffer.from([9, 97]))],
    ['end within a text', framed(entry('a', raw.text('abc').subarray(0, -1)))],
    [
      'hold a list that is longer than they are',
      framed(entry('a', Buffer.from([0x41, 0xff, 0xff, 0xff, 0xff, 0x56]))),
    ],
    [
      'hold a list whose last value is longer than it',
      framed(entry('a', Buffer.from([0x41, 0, 0, 0, 1, 0x62, 1]))),
    ],
    ['hold a table whose last name is longer than it', framed(entry('a', raw.table(Buffer.from([5, 97]))))],
  ])('are dropped if they %s, and the other properties stay', (_, frame) => {
    expect(headersOf(frame)).toBe(DROPPED_HEADERS);
    expect(headersOf(frame, ['operator'])).toBe(DROPPED_HEADERS);
  });

  it('are dropped or decoded, whatever they contain, and no later frame is lost', () => {
    const damaged = fc
      .tuple(fieldTable, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }), fc.nat(3))
      .map(([table, changes, cut]) => {
        const bytes = Buffer.from(table);
        for (const [at, value] of changes) if (bytes.length > 0) bytes[at % bytes.length] = value;
        return bytes.subarray(0, Math.max(0, bytes.length - cut));
      });
    fc.assert(
      fc.property(fc.oneof(damaged, fc.uint8Array({ maxLength: 64 }).map(Buffer.from)), (table) => {
        const found = headersOf(framed(table));
        if (found !== DROPPED_HEADERS)
          expect([found]).toEqual(
            decoded([framed(table)], 'unbounded').map(({ fields }) => fields['headers']),
          );
      }),
      { numRuns: 1_000 },
    );
  });

  it('are the same however the frames are split', () => {
    const whole = Buffer.concat([
      framed(entry('a', raw.nested(40))),
      framed(entry('b', raw.text('x'))),
      next,
    ]);
    for (let at = 1; at < whole.length; at += 1) {
      const frames = decoded([whole.subarray(0, at), whole.subarray(at)], ['b']);
      expect(frames.map(({ fields }) => fields['headers'])).toEqual([DROPPED_HEADERS, { b: 'x' }, undefined]);
    }
  });

  it('do not retain the body that follows them if they are large', () => {
    const body = Buffer.from([3, 0, 7, 0, 0, 0, 1, 0x78, 0xce]);
    const [, content] = decoded([
      Buffer.concat([framed(entry('a', raw.nulls(120_000))), body]),
    ]) as unknown as [Frame, { content: Buffer }];
    expect(content.content.toString()).toBe('x');
    expect(content.content.buffer.byteLength).toBeLessThanOrEqual(Buffer.poolSize);
  });
});

it('ids that differ by a byte stay different, and are well-formed only if they are UTF-8, with any headers', () => {
  const id = fc
    .oneof(fc.uint8Array({ maxLength: 255 }), fc.string().map(Buffer.from))
    .map((each) => Buffer.from(each).subarray(0, 255));
  fc.assert(
    fc.property(id, id, fieldTable, (messageId, correlationId, headers) => {
      for (const properties of [
        { messageId, correlationId },
        { ...ALL, messageId, correlationId, headers },
      ]) {
        const [frame] = decoded([headerFrame(7, properties, 0), next]);
        for (const [name, bytes] of Object.entries({ messageId, correlationId })) {
          const text = String(frame?.fields[name]);
          expect(text.isWellFormed()).toBe(isUtf8(bytes));
          expect(Buffer.from(text, isUtf8(bytes) ? 'utf8' : 'latin1')).toEqual(bytes);
        }
      }
    }),
  );
});
