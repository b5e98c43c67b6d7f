// amqplib decodes headers recursively and without limits before a consumer sees them: deeply nested lists
// overflow the stack, and short headers can decode to many megabytes (docs/decisions/0012).

import type { ChannelModel, MessagePropertyHeaders } from 'amqplib';

import { FRAME_BYTES, propertyIn, restoreIds, SIZE_AT } from './property-bytes.ts';

const MAX_BYTES = 16 * 1024;
/**
 * Headers that quorum queues add at each delivery. They must not push headers over the limit that were within
 * it when sent.
 */
const ADDED = new Set(['x-delivery-count', 'x-acquired-count']);
const MAX_ADDED_BYTES = 64;
/** The deepest nesting of lists and tables around a value. */
const MAX_DEPTH = 32;
/** Bytes after a longer frame are copied, so that the buffer of that frame can be freed. */
const MAX_KEPT_FRAME_BYTES = 32 * 1024;

/**
 * The headers of a message whose own headers were dropped. Compare by identity: nothing on the wire decodes
 * to this object.
 */
export const DROPPED_HEADERS: MessagePropertyHeaders = Object.freeze({});

interface FrameReader {
  /** Bytes that amqplib has read but not parsed yet, starting with a frame. */
  rest: Buffer;
  recvFrame():
    false | { fields: { headers?: MessagePropertyHeaders; messageId?: string; correlationId?: string } };
}

/**
 * The size of a value by its type, in bytes. Strings, byte arrays, lists and tables carry their own length.
 */
const WIDTHS = { V: 0, b: 1, B: 1, t: 1, s: 2, u: 2, I: 4, i: 4, f: 4, D: 5, d: 8, l: 8, T: 8 };
const WIDTH_OF = new Map(Object.entries(WIDTHS).map(([type, width]) => [type.charCodeAt(0), width]));
const [TEXT, BYTES, LIST, TABLE] = Buffer.from('SxAF');
const LENGTH_BYTES = 4;

/**
 * Limits the headers of all messages that a connection receives. Headers that are malformed, nested deeper
 * than 32 levels or longer than 16 KiB are replaced by `DROPPED_HEADERS`; other properties are kept.
 *
 * @param known the names of the headers to keep; default: all
 */
export function boundHeaders(model: ChannelModel, known?: ReadonlySet<string>): void {
  const { connection } = model as unknown as { connection: FrameReader };
  const receiveFrame = connection.recvFrame.bind(connection);
  const receive = () => {
    const { rest } = connection;
    const frame = receiveFrame();
    if (frame && frame.fields) restoreIds(frame.fields, rest);
    return frame;
  };
  connection.recvFrame = () => {
    const { rest } = connection;
    const table = propertyIn(rest, 0, 'headers');
    if (!table) return receive();
    if (isBounded(rest, table)) {
      const frame = receive();
      if (frame && known) frame.fields.headers = knownOf(frame.fields.headers ?? {}, known);
      return frame;
    }
    // amqplib parses this frame alone first, and the bytes after it next.
    connection.rest = withoutHeaders(rest, table);
    const frame = receive();
    if (frame) frame.fields.headers = DROPPED_HEADERS;
    const following = rest.subarray(table.frameEnd);
    connection.rest = table.frameEnd > MAX_KEPT_FRAME_BYTES ? Buffer.from(following) : following;
    return frame;
  };
}

function knownOf(headers: MessagePropertyHeaders, known: ReadonlySet<string>): MessagePropertyHeaders {
  const names = Object.keys(headers);
  // amqplib assigns each header, so that a table named `__proto__` becomes the prototype of the others.
  const isPlain = Object.getPrototypeOf(headers) === Object.prototype;
  if (isPlain && names.every((name) => known.has(name))) return headers;
  return Object.fromEntries(names.filter((name) => known.has(name)).map((name) => [name, headers[name]]));
}

type Table = NonNullable<ReturnType<typeof propertyIn>>;

/** Returns true if the headers are well-formed and within the limits of depth and length. */
function isBounded(bytes: Buffer, { start, end }: Table): boolean {
  const length = end - start;
  if (length > MAX_BYTES + MAX_ADDED_BYTES) return false;
  let bytesAdded = 0;
  let at = start;
  while (at < end) {
    const valueAt = afterName(bytes, at);
    const next = endOfValue(bytes, valueAt, end);
    if (length > MAX_BYTES && ADDED.has(bytes.toString('latin1', at + 1, valueAt))) bytesAdded += next - at;
    at = next;
  }
  return at === end && length <= MAX_BYTES + bytesAdded;
}

/**
 * Returns the end of a value; infinity if it or a nested value has an unknown type, exceeds its container, or
 * is too deep.
 */
function endOfValue(bytes: Buffer, at: number, limit: number, depth = 0): number {
  const type = bytes[at] as number;
  const width = WIDTH_OF.get(type);
  const start = at + 1 + (width ?? LENGTH_BYTES);
  if (start > limit) return Infinity;
  if (width !== undefined) return start;
  const end = start + bytes.readUInt32BE(at + 1);
  if (end > limit) return Infinity;
  if (type === TEXT || type === BYTES) return end;
  if ((type !== LIST && type !== TABLE) || depth === MAX_DEPTH) return Infinity;
  let next = start;
  while (next < end) next = endOfValue(bytes, type === TABLE ? afterName(bytes, next) : next, end, depth + 1);
  return next;
}

function afterName(bytes: Buffer, at: number): number {
  return at + 1 + (bytes[at] ?? 0);
}

function withoutHeaders(bytes: Buffer, { start, end, frameEnd }: Table): Buffer {
  const frame = Buffer.concat([bytes.subarray(0, start), bytes.subarray(end, frameEnd)]);
  frame.writeUInt32BE(frame.length - FRAME_BYTES, SIZE_AT);
  frame.writeUInt32BE(0, start - LENGTH_BYTES);
  return frame;
}
