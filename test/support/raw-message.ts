import type { Channel } from 'amqplib';

// Messages of an attacker, byte by byte: amqplib's own encoder stops at 64 KiB of headers, and writes only
// valid tables.

const PUBLISH = Buffer.from([0, 60, 0, 40, 0, 0]);
const FRAME_END = 0xce;
/** The flag of each property, in the order of the properties in a frame. */
const FLAGS = {
  contentType: 0x8000,
  headers: 0x2000,
  correlationId: 0x0400,
  replyTo: 0x0200,
  expiration: 0x0100,
  messageId: 0x0080,
  timestamp: 0x0040,
  type: 0x0020,
} as const;

/** Properties as text or bytes; headers as the entries of their table, and a timestamp as its eight bytes. */
export type RawProperties = Readonly<Partial<Record<keyof typeof FLAGS, string | Buffer | undefined>>>;

const sized = (content: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
};
const short = (text: string | Buffer): Buffer => {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
};
const tagged = (type: string, value: Buffer = Buffer.alloc(0)): Buffer =>
  Buffer.concat([Buffer.from(type), value]);

/** Encoders for the values of a table, each with its type. */
export const raw = {
  text: (content: string | Buffer): Buffer => tagged('S', sized(Buffer.from(content))),
  bytes: (content: Buffer): Buffer => tagged('x', sized(content)),
  list: (...values: readonly Buffer[]): Buffer => tagged('A', sized(Buffer.concat(values))),
  table: (...entries: readonly Buffer[]): Buffer => tagged('F', sized(Buffer.concat(entries))),
  nothing: (): Buffer => tagged('V'),
  timestamp: (seconds: bigint): Buffer => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(seconds);
    return tagged('T', bytes);
  },
  /** A list of nulls that is `bytes` long. */
  nulls: (bytes: number): Buffer => tagged('A', sized(Buffer.alloc(bytes - 5, 'V'))),
  /** `depth` nested lists or tables. */
  nested(depth: number, type: 'A' | 'F' = 'A'): Buffer {
    const isTable = type === 'F';
    const step = isTable ? 7 : 5;
    const bytes = Buffer.alloc(depth * step - (isTable ? 2 : 0));
    for (let n = 0; n < depth; n += 1) {
      const at = n * step;
      bytes.write(type, at);
      bytes.writeUInt32BE(bytes.length - at - 5, at + 1);
      // The name has one letter.
      if (isTable && n < depth - 1) bytes.write('\u0001a', at + 5);
    }
    return bytes;
  },
};

/** A header, or a member of a table. */
export function entry(name: string | Buffer, value: Buffer): Buffer {
  const bytes = Buffer.from(name);
  return Buffer.concat([Buffer.from([bytes.length]), bytes, value]);
}

/** Returns the header frame of a message with a body of `bodyBytes` bytes. */
export function headerFrame(channel: number, properties: RawProperties, bodyBytes: number): Buffer {
  const start = Buffer.alloc(14);
  start.writeUInt16BE(60);
  start.writeBigUInt64BE(BigInt(bodyBytes), 4);
  let flags = 0;
  const values: Buffer[] = [];
  for (const [name, flag] of Object.entries(FLAGS)) {
    const value = properties[name as keyof RawProperties];
    if (value === undefined) continue;
    flags |= flag;
    if (name === 'timestamp') values.push(Buffer.from(value));
    else values.push(name === 'headers' ? sized(Buffer.from(value)) : short(value));
  }
  start.writeUInt16BE(flags, 12);
  return frame(2, channel, Buffer.concat([start, ...values]));
}

/** Publishes a message unchanged. The body must fit into one frame. */
export function publishRaw(
  channel: Channel,
  to: { readonly exchange?: string; readonly routingKey: string },
  properties: RawProperties,
  content: Buffer,
): boolean {
  const { ch, connection } = channel as unknown as {
    ch: number;
    connection: { channels: { buffer: { write(bytes: Buffer): boolean } }[] };
  };
  const method = Buffer.concat([PUBLISH, short(to.exchange ?? ''), short(to.routingKey), Buffer.alloc(1)]);
  const frames = [frame(1, ch, method), headerFrame(ch, properties, content.length)];
  if (content.length > 0) frames.push(frame(3, ch, content));
  return connection.channels[ch]?.buffer.write(Buffer.concat(frames)) ?? false;
}

function frame(type: number, channel: number, payload: Buffer): Buffer {
  const start = Buffer.alloc(7);
  start.writeUInt8(type);
  start.writeUInt16BE(channel, 1);
  start.writeUInt32BE(payload.length, 3);
  return Buffer.concat([start, payload, Buffer.from([FRAME_END])]);
}
