import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';

import { excessIn, isObject } from '#contracts/validation';
import { parseExactJson, RAW_JSON } from '#signing';

import type { Answer } from '../transport/connection.ts';

/**
 * Thrown if the body of a successful answer violates the interface document. The message names the position
 * and contains no values.
 */
export class UnexpectedDocument extends Error {
  override readonly name = 'UnexpectedDocument';
}

type Decoder = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

/** Decompression runs off the event loop, which a large body would block. */
const DECODERS: ReadonlyMap<string, Decoder> = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/**
 * Returns the body of an answer without a byte order mark. The content type is ignored because it is
 * unreliable. A compressed body is decompressed up to `maxBytes`, although no encoding was requested.
 *
 * @throws UnexpectedDocument if the body cannot be read
 */
export async function readBody({ body, headers }: Answer, maxBytes: number): Promise<Buffer> {
  if (typeof body === 'string') throw unreadable(body);
  const encoding = headers['content-encoding']?.toString().trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return withoutMark(body);
  const decode = DECODERS.get(encoding);
  if (decode === undefined) throw unreadable('encoding');
  return decode(body, { maxOutputLength: maxBytes }).then(withoutMark, (error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw unreadable(code === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : 'encoding');
  });
}

function unreadable(reason: 'too-large' | 'incomplete' | 'encoding'): UnexpectedDocument {
  return new UnexpectedDocument(`the body is unreadable: ${reason}`);
}

function withoutMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** More values than any session or game has. Parsing more of them exactly could take 30 ms. */
const MAX_EXACT_VALUES = 2_048;

/**
 * Parses JSON.
 *
 * @param isExact true to convert numbers that a double cannot represent to raw JSON numbers; otherwise they
 *   are not integers
 * @throws UnexpectedDocument
 */
export function parseBody(text: string, isExact = true): unknown {
  try {
    return isExact ? parseExactJson(text, RAW_JSON.rawJSON) : JSON.parse(text);
  } catch {
    throw new UnexpectedDocument(text.trim() === '' ? 'the body is empty' : 'the body is not JSON');
  }
}

/** @throws UnexpectedDocument */
export function objectAt(value: unknown, where: string): JsonObject {
  if (!isObject(value)) throw new UnexpectedDocument(`${where} is not an object`);
  return value;
}

/** @throws UnexpectedDocument unless the member is a non-empty string */
export function textAt(object: JsonObject, name: string, where: string): string {
  const value = object[name];
  if (isText(value)) return value;
  throw new UnexpectedDocument(`${where}/${name} is not a non-empty string`);
}

/**
 * Returns a document's resource of the given type, or the only item if the document contains a list.
 *
 * @throws UnexpectedDocument
 */
export function resourceIn(body: Buffer, type: string): { data: JsonObject; attributes: JsonObject } {
  const parsed = parseBody(body.toString(), excessIn(body, MAX_EXACT_VALUES) === undefined);
  const { data: given } = objectAt(parsed, 'the body');
  const data = objectAt(Array.isArray(given) && given.length === 1 ? given[0] : given, '/data');
  return { data, attributes: attributesOf(data, type, '/data') };
}

/** Returns the attributes of a resource of the given type. @throws UnexpectedDocument */
export function attributesOf(resource: JsonObject, type: string, where: string): JsonObject {
  if (resource['type'] !== type) throw new UnexpectedDocument(`${where}/type is not ${type}`);
  return objectAt(resource['attributes'], `${where}/attributes`);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

const INTEGER = /^-?\d+$/;
const LEADING_ZEROS = /^(-?)0+(?=\d)/;

/** Returns the digits of a parsed integer, of whatever size; `undefined` for any other value. */
export function integerText(value: unknown): string | undefined {
  if (Number.isSafeInteger(value)) return String(value);
  return RAW_JSON.isRawJSON(value) && INTEGER.test(value.rawJSON) ? value.rawJSON : undefined;
}

/** Returns the JSON form of a parsed integer or of a text of digits; `undefined` for any other value. */
export function integerIn(value: unknown): unknown {
  if (Number.isSafeInteger(value) || integerText(value) !== undefined) return value;
  if (typeof value !== 'string' || !INTEGER.test(value)) return undefined;
  return RAW_JSON.rawJSON(value.replace(LEADING_ZEROS, '$1'));
}

/** Returns a non-empty parsed text, or the digits of an integer; `undefined` for any other value. */
export function idIn(value: unknown): string | undefined {
  return isText(value) ? value : integerText(value);
}
