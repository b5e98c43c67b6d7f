import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';

import type { Answer } from '../transport/connection.ts';
import { UnexpectedDocument } from './document.ts';

type Decoder = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

/** Beside the event loop, which a large body would block. */
const DECODERS: ReadonlyMap<string, Decoder> = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/**
 * The body of an answer, without a byte order mark. Its content type is ignored, since it is not to be trusted. It is
 * decompressed, although no encoding was asked for, up to `maxBytes`.
 *
 * @returns at once if it is not compressed
 * @throws UnexpectedDocument if it cannot be read
 */
export function readBody({ body, headers }: Answer, maxBytes: number): Buffer | Promise<Buffer> {
  if (typeof body === 'string') throw unreadable(body);
  const encoding = headers['content-encoding']?.toString().trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return withoutMark(body);
  const decode = DECODERS.get(encoding);
  if (decode === undefined) throw unreadable('encoding');
  return decode(body, { maxOutputLength: maxBytes }).then(withoutMark, ({ code }: NodeJS.ErrnoException) => {
    throw unreadable(code === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : 'encoding');
  });
}

function unreadable(reason: 'too-large' | 'incomplete' | 'encoding'): UnexpectedDocument {
  return new UnexpectedDocument(`the body is unreadable: ${reason}`);
}

function withoutMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}

/** @throws UnexpectedDocument */
export function utf8(body: Buffer): Buffer {
  if (!isUtf8(body)) throw new UnexpectedDocument('the body is not UTF-8');
  return body;
}
