import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';

import { CommandError } from '#contracts';

import type { OperatorCredentials } from '../platform-settings.ts';
import type { Answer } from '../transport/connection.ts';
import { UnexpectedDocument } from './document.ts';

/** How a success is read. */
export interface Reading<Data, Result> {
  /** @throws UnexpectedDocument */
  readonly read: (body: Buffer, credentials: OperatorCredentials, data: Data) => Result | Promise<Result>;
  /** Of the command; no error repeats it. */
  readonly data: Data;
  /** Of the caller. */
  readonly credentials: OperatorCredentials;
}

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
 * Reads a success.
 *
 * @returns at once if the body is not compressed, and reading it takes no time
 * @throws CommandError if it is not the document that the interface promises
 */
export function readAnswer<Data, Result>(
  answer: Answer,
  maxBytes: number,
  { read, data, credentials }: Reading<Data, Result>,
): Result | Promise<Result> {
  const failed = (error: unknown): never => fail(error, answer);
  try {
    const body = readBody(answer, maxBytes);
    if (!Buffer.isBuffer(body)) {
      return body.then((decoded) => read(utf8(decoded), credentials, data)).catch(failed);
    }
    const result = read(utf8(body), credentials, data);
    return result instanceof Promise ? result.catch(failed) : result;
  } catch (error) {
    return failed(error);
  }
}

function utf8(body: Buffer): Buffer {
  if (!isUtf8(body)) throw new UnexpectedDocument('the body is not UTF-8');
  return body;
}

function fail(error: unknown, { status }: Answer): never {
  if (!(error instanceof UnexpectedDocument)) throw error;
  throw new CommandError('PLATFORM_PROTOCOL_ERROR', {
    details: { reason: error.message },
    platform: { status, errors: [] },
  });
}

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
  return decode(body, { maxOutputLength: maxBytes }).then(withoutMark, (error: unknown) => {
    throw unreadable(
      (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : 'encoding',
    );
  });
}

function unreadable(reason: 'too-large' | 'incomplete' | 'encoding'): UnexpectedDocument {
  return new UnexpectedDocument(`the body is unreadable: ${reason}`);
}

function withoutMark(bytes: Buffer): Buffer {
  const hasMark = BYTE_ORDER_MARK.equals(bytes.subarray(0, BYTE_ORDER_MARK.length));
  return hasMark ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}
