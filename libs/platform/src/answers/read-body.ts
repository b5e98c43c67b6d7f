import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

import type { Answer } from '../transport/answer.ts';

/** The text of an answer, or why it cannot be read. */
export type BodyText =
  | { readonly kind: 'text'; readonly text: string; readonly isUtf8: boolean }
  | { readonly kind: 'unreadable'; readonly reason: 'too-large' | 'incomplete' | 'encoding' };

const DECODERS: ReadonlyMap<string, (body: Buffer, options: { maxOutputLength: number }) => Buffer> = new Map(
  [
    ['gzip', gunzipSync],
    ['x-gzip', gunzipSync],
    ['deflate', inflateSync],
    ['br', brotliDecompressSync],
  ],
);

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * The body of an answer as text. Its content type is ignored, since it is not to be trusted. It is decompressed, although
 * no encoding was asked for, up to `maxBytes`.
 */
export function readBody({ body, contentEncoding }: Answer, maxBytes: number): BodyText {
  if (typeof body === 'string') return { kind: 'unreadable', reason: body };
  const encoding = contentEncoding?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return textOf(body);
  const decode = DECODERS.get(encoding);
  if (decode === undefined) return { kind: 'unreadable', reason: 'encoding' };
  try {
    return textOf(decode(body, { maxOutputLength: maxBytes }));
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    return { kind: 'unreadable', reason: isTooLarge ? 'too-large' : 'encoding' };
  }
}

function textOf(body: Buffer): BodyText {
  const text = body.toString('utf8');
  return {
    kind: 'text',
    text: text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text,
    isUtf8: isUtf8(body),
  };
}
