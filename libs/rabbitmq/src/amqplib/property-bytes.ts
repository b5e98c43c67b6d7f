// amqplib reads and writes short strings as UTF-8 and decodes every invalid byte as U+FFFD. Different ids
// would compare equal, and a correlation id would not be returned byte for byte.

import { isUtf8 } from 'node:buffer';

import type { ConfirmChannel } from 'amqplib';

/**
 * Added to each byte of an id that is not UTF-8. The sum is a lone surrogate, which valid UTF-8 never decodes
 * to.
 */
const BYTE = 0xdc00;
const REPLACEMENT = '\ufffd';

// A frame has a type, a channel, a size, a payload and an end byte. The payload of a header frame has a
// class, a weight, the size of the body, flags, and the properties themselves. Source: AMQP 0-9-1, sections
// 2.3.5 and 4.2.6.
const HEADER_FRAME = 2;
const PAYLOAD_AT = 7;
const FLAGS_AT = PAYLOAD_AT + 12;
const PROPERTIES_AT = FLAGS_AT + 2;
export const SIZE_AT = 3;
/** The bytes of a frame before its payload and after it. */
export const FRAME_BYTES = PAYLOAD_AT + 1;

/** The properties in wire order, up to the last one needed: the flag of each, and the bytes of its length. */
const PROPERTIES = [
  ['contentType', 0x8000, 1],
  ['contentEncoding', 0x4000, 1],
  ['headers', 0x2000, 4],
  ['deliveryMode', 0x1000, 0],
  ['priority', 0x0800, 0],
  ['correlationId', 0x0400, 1],
  ['replyTo', 0x0200, 1],
  ['expiration', 0x0100, 1],
  ['messageId', 0x0080, 1],
] as const;
const KEPT = ['correlationId', 'messageId'] as const;

type Kept = (typeof KEPT)[number];

interface RawChannel {
  readonly ch: number;
  readonly connection: { readonly channels: readonly { buffer: { write: (chunk: Buffer) => boolean } }[] };
}

/** Returns the length of a text on the wire, in bytes. */
export function wireBytes(text: string): number {
  return text.isWellFormed() ? Buffer.byteLength(text) : text.length;
}

/**
 * Restores ids that are not UTF-8 in decoded properties: each byte becomes a lone surrogate. Such an id is
 * not well-formed, differs from every other id, and can be written back byte for byte.
 *
 * @param bytes the received bytes, starting with the header frame if that is complete
 */
export function restoreIds(fields: Partial<Record<Kept, string>>, bytes: Buffer): void {
  for (const name of KEPT) {
    if (!fields[name]?.includes(REPLACEMENT)) continue;
    const { start = 0, end = 0 } = propertyIn(bytes, 0, name) ?? {};
    const id = bytes.subarray(start, end);
    if (!isUtf8(id)) fields[name] = String.fromCharCode(...Array.from(id, (byte) => BYTE + byte));
  }
}

/**
 * Calls `publish` with a placeholder for a correlation id that is not UTF-8, and writes the original bytes
 * into its frame.
 */
export function withWrittenId(
  channel: ConfirmChannel,
  id: string | undefined,
  publish: (id: string | undefined) => void,
): void {
  if (id === undefined || id.isWellFormed()) return publish(id);
  const { ch, connection } = channel as unknown as RawChannel;
  const { buffer } = connection.channels[ch] ?? {};
  const write = buffer?.write.bind(buffer);
  if (!buffer || !write) return publish(undefined);
  buffer.write = (chunk) => {
    // The method frame precedes the header frame, in the same chunk or in an earlier one.
    const at = chunk[0] === HEADER_FRAME ? 0 : endOfFrame(chunk, 0);
    const found = propertyIn(chunk, at, 'correlationId');
    if (found) chunk.write(id, found.start, found.end - found.start, 'latin1');
    return write(chunk);
  };
  try {
    publish('-'.repeat(id.length));
  } finally {
    buffer.write = write;
  }
}

/**
 * Returns the offsets of a property in the header frame at an offset, without the bytes of its length, and of
 * the end of the frame; undefined if the frame is incomplete or malformed, or lacks the property.
 */
export function propertyIn(bytes: Buffer, frameAt: number, wanted: Kept | 'headers') {
  if (bytes[frameAt] !== HEADER_FRAME || bytes.length < frameAt + PROPERTIES_AT) return undefined;
  const frameEnd = endOfFrame(bytes, frameAt);
  if (bytes.length < frameEnd) return undefined;
  const flags = bytes.readUInt16BE(frameAt + FLAGS_AT);
  let end = frameAt + PROPERTIES_AT;
  for (const [name, flag, lengthBytes] of PROPERTIES) {
    if ((flags & flag) === 0) continue;
    // A value without a length is one byte.
    const start = end + Math.max(1, lengthBytes);
    if (start >= frameEnd) return undefined;
    end = start + (lengthBytes === 0 ? 0 : bytes.readUIntBE(end, lengthBytes));
    if (end >= frameEnd) return undefined;
    if (name === wanted) return { start, end, frameEnd };
  }
  return undefined;
}

function endOfFrame(bytes: Buffer, at: number): number {
  return at + FRAME_BYTES + bytes.readUInt32BE(at + SIZE_AT);
}
