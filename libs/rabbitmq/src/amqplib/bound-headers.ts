// amqplib decodes headers by recursion and without a bound, before anybody can look at them: nested lists end a worker, and
// short headers take much memory (docs/decisions/0012).

import type { ChannelModel, MessagePropertyHeaders } from 'amqplib';

import { restoreIds } from './property-bytes.ts';

const MAX_BYTES = 16 * 1024;
/** What quorum queues add at each delivery, which must not make headers too long that were not when they were sent. */
const ADDED = new Set(['x-delivery-count', 'x-acquired-count']);
const MAX_ADDED_BYTES = 64;
/** Lists and tables around a value. */
const MAX_DEPTH = 32;
/** What follows a longer frame in memory is copied, so that the frame's message does not keep it. */
const MAX_KEPT_FRAME_BYTES = 32 * 1024;

/** What a message has as its headers if they were dropped: told by its identity, which nothing on the wire has. */
export const DROPPED_HEADERS: MessagePropertyHeaders = Object.freeze({});

interface FrameReader {
  /** What amqplib has read and not parsed yet: it begins with a frame. */
  rest: Buffer;
  recvFrame():
    false | { fields: { headers?: MessagePropertyHeaders; messageId?: string; correlationId?: string } };
}

// The layout of a frame: type, channel and size, then, in that of properties, a class, a weight, the size of the body, flags
// and the properties themselves; one byte after all. Source: AMQP 0-9-1, sections 2.3.5 and 4.2.6.
const HEADER_FRAME = 2;
const SIZE_AT = 3;
const PAYLOAD_AT = 7;
const FLAGS_AT = PAYLOAD_AT + 12;
const PROPERTIES_AT = FLAGS_AT + 2;
const HAS_CONTENT_TYPE = 0x8000;
const HAS_CONTENT_ENCODING = 0x4000;
const HAS_HEADERS = 0x2000;

/** How many bytes a value takes by its type; texts, bytes, lists and tables say so themselves. */
const WIDTHS = { V: 0, b: 1, B: 1, t: 1, s: 2, u: 2, I: 4, i: 4, f: 4, D: 5, d: 8, l: 8, T: 8 };
const WIDTH_OF = new Map(Object.entries(WIDTHS).map(([type, width]) => [type.charCodeAt(0), width]));
const [TEXT, BYTES, LIST, TABLE] = Buffer.from('SxAF');
const LENGTH_BYTES = 4;

/**
 * Has the messages of a connection come with the headers that are known, and with `DROPPED_HEADERS` if all of them cannot be
 * read, are nested more than 32 deep or take more than 16 KiB. Their other properties stay.
 *
 * @param known default: all
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
    const table = tableIn(rest);
    if (!table) return receive();
    if (isBounded(rest, table)) {
      const frame = receive();
      if (frame && known) frame.fields.headers = knownOf(frame.fields.headers ?? {}, known);
      return frame;
    }
    // amqplib reads this frame alone, and then what followed it.
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
  if (names.every((name) => known.has(name))) return headers;
  return Object.fromEntries(names.filter((name) => known.has(name)).map((name) => [name, headers[name]]));
}

type Table = NonNullable<ReturnType<typeof tableIn>>;

/** Where the headers in the first frame are, and where that ends; undefined unless it is complete and has any. */
function tableIn(bytes: Buffer) {
  if (bytes[0] !== HEADER_FRAME || bytes.length < PROPERTIES_AT) return undefined;
  const payloadEnd = PAYLOAD_AT + bytes.readUInt32BE(SIZE_AT);
  const flags = bytes.readUInt16BE(FLAGS_AT);
  if (bytes.length <= payloadEnd || (flags & HAS_HEADERS) === 0) return undefined;
  let at = PROPERTIES_AT;
  for (const flag of [HAS_CONTENT_TYPE, HAS_CONTENT_ENCODING]) if (flags & flag) at = afterName(bytes, at);
  const start = at + LENGTH_BYTES;
  if (start > payloadEnd) return undefined;
  const end = start + bytes.readUInt32BE(at);
  return end > payloadEnd ? undefined : { start, end, frameEnd: payloadEnd + 1 };
}

/** Whether the headers can be read, and are neither too deep nor too long. */
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

/** Where a value ends; infinity if it or a value in it has no type, is longer than what it is in, or is too deep. */
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
  frame.writeUInt32BE(frame.length - PAYLOAD_AT - 1, SIZE_AT);
  frame.writeUInt32BE(0, start - LENGTH_BYTES);
  return frame;
}
