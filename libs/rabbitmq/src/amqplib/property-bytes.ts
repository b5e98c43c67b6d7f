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
export const HEADER_FRAME = 2;
export const SIZE_AT = 3;
export const PAYLOAD_AT = 7;
export const FLAGS_AT = PAYLOAD_AT + 12;
export const PROPERTIES_AT = FLAGS_AT + 2;

/** The properties in wire order, up to the last one needed: the flag of each, and how it is encoded. */
const PROPERTIES = {
  contentType: [0x8000, 'text'],
  contentEncoding: [0x4000, 'text'],
  headers: [0x2000, 'table'],
  deliveryMode: [0x1000, 'octet'],
  priority: [0x0800, 'octet'],
  correlationId: [0x0400, 'text'],
  replyTo: [0x0200, 'text'],
  expiration: [0x0100, 'text'],
  messageId: [0x0080, 'text'],
} as const;
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
    const id = propertyIn(bytes, 0, name);
    if (id && !isUtf8(id)) fields[name] = String.fromCharCode(...Array.from(id, (byte) => BYTE + byte));
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
    const at = chunk[0] === HEADER_FRAME ? 0 : frameEnd(chunk, 0);
    propertyIn(chunk, at, 'correlationId')?.write(id, 'latin1');
    return write(chunk);
  };
  try {
    publish('-'.repeat(id.length));
  } finally {
    buffer.write = write;
  }
}

/**
 * Returns the bytes of a property in the header frame at an offset; undefined if the frame is incomplete or
 * lacks it.
 */
function propertyIn(bytes: Buffer, frameAt: number, wanted: Kept): Buffer | undefined {
  const frame = bytes.subarray(frameAt);
  if (frame[0] !== HEADER_FRAME || frame.length < PROPERTIES_AT || frame.length < frameEnd(frame, 0))
    return undefined;
  const flags = frame.readUInt16BE(FLAGS_AT);
  let at = PROPERTIES_AT;
  for (const [name, [flag, kind]] of Object.entries(PROPERTIES)) {
    if ((flags & flag) === 0) continue;
    const start = at + (kind === 'table' ? 4 : 1);
    const end =
      kind === 'octet' ? start : start + (kind === 'table' ? frame.readUInt32BE(at) : (frame[at] ?? 0));
    if (name === wanted) return frame.subarray(start, end);
    at = end;
  }
  return undefined;
}

function frameEnd(bytes: Buffer, at: number): number {
  return at + PAYLOAD_AT + bytes.readUInt32BE(at + SIZE_AT) + 1;
}
