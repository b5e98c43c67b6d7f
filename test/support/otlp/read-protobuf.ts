/** The fields of a protobuf message by number: varints as bigint, everything else as bytes. */
export type Fields = ReadonlyMap<number, readonly (bigint | Buffer)[]>;

/**
 * Reads a message of the protobuf wire format, which needs no schema.
 *
 * @see https://protobuf.dev/programming-guides/encoding/
 */
export function readProtobuf(bytes: Buffer): Fields {
  const fields = new Map<number, (bigint | Buffer)[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined) throw new Error('the message ends within a number');
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error('the message ends within a field');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const value = readValue(tag & 7, varint, take);
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

function readValue(
  wireType: number,
  varint: () => bigint,
  take: (length: number) => Buffer,
): bigint | Buffer {
  switch (wireType) {
    case 0:
      return varint();
    case 1:
      return take(8);
    case 2:
      return take(Number(varint()));
    case 5:
      return take(4);
    default:
      throw new Error(`no wire type ${wireType}`);
  }
}
