import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';

import type { Answer } from '../transport/exchange.ts';

/** The bytes of an answer, or why they cannot be read. */
export type Body =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'unreadable'; readonly reason: 'too-large' | 'incomplete' | 'encoding' };

type Decoder = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

/** Beside the event loop, which a large body would block. */
const DECODERS: ReadonlyMap<string, Decoder> = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/**
 * The body of an answer, without a byte order mark. Its content type is ignored, since it is not to be trusted. It is
 * decompressed, although no encoding was asked for, up to `maxBytes`.
 *
 * @returns at once if it is not compressed
 */
export function readBody({ body, headers }: Answer, maxBytes: number): Body | Promise<Body> {
  if (typeof body === 'string') return { kind: 'unreadable', reason: body };
  const encoding = headers['content-encoding']?.toString().trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return bodyOf(body);
  const decode = DECODERS.get(encoding);
  if (decode === undefined) return { kind: 'unreadable', reason: 'encoding' };
  return decode(body, { maxOutputLength: maxBytes }).then(bodyOf, (error: unknown) => ({
    kind: 'unreadable',
    reason: (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : 'encoding',
  }));
}

function bodyOf(bytes: Buffer): Body {
  const hasMark = BYTE_ORDER_MARK.equals(bytes.subarray(0, BYTE_ORDER_MARK.length));
  return { kind: 'bytes', bytes: hasMark ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes };
}
