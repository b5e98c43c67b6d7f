/** How deep lists and maps may stand in each other. */
const MAX_DEPTH = 32;
/** The section of a body that is one value: a descriptor, and its code as the broker writes it. */
const VALUE_SECTION = Buffer.from([0x00, 0x53, 0x77]);

interface Reader {
  readonly bytes: Buffer;
  at: number;
  depth: number;
}

/** How a value with a constructor of its own is read. Source: AMQP 1.0, part 1, section 1.6. */
const READERS: Readonly<Record<number, (from: Reader) => unknown>> = {
  0x40: () => null,
  0x41: () => true,
  0x42: () => false,
  0x43: () => 0,
  0x44: () => 0,
  0x45: () => [],
  0x50: (from) => take(from, 1).readUInt8(),
  0x51: (from) => take(from, 1).readInt8(),
  0x52: (from) => take(from, 1).readUInt8(),
  0x53: (from) => take(from, 1).readUInt8(),
  0x54: (from) => take(from, 1).readInt8(),
  0x55: (from) => take(from, 1).readInt8(),
  0x56: (from) => take(from, 1).readUInt8() === 1,
  0x60: (from) => take(from, 2).readUInt16BE(),
  0x61: (from) => take(from, 2).readInt16BE(),
  0x70: (from) => take(from, 4).readUInt32BE(),
  0x71: (from) => take(from, 4).readInt32BE(),
  0x72: (from) => take(from, 4).readFloatBE(),
  0x80: (from) => Number(take(from, 8).readBigUInt64BE()),
  0x81: (from) => Number(take(from, 8).readBigInt64BE()),
  0x82: (from) => take(from, 8).readDoubleBE(),
  0xa0: (from) => take(from, size(from, 1)),
  0xb0: (from) => take(from, size(from, 4)),
  0xa1: (from) => take(from, size(from, 1)).toString(),
  0xb1: (from) => take(from, size(from, 4)).toString(),
  0xa3: (from) => take(from, size(from, 1)).toString(),
  0xb3: (from) => take(from, size(from, 4)).toString(),
  0xc0: (from) => list(from, 1),
  0xd0: (from) => list(from, 4),
  0xc1: (from) => map(from, 1),
  0xd1: (from) => map(from, 4),
};

/**
 * The one value that a body of AMQP 1.0 holds: text, numbers, booleans, null, bytes, lists, and maps whose keys are text.
 *
 * @throws {Error} if it is none
 */
export function readAmqpValue(bytes: Buffer): unknown {
  if (!bytes.subarray(0, VALUE_SECTION.length).equals(VALUE_SECTION)) throw new Error('it is no value');
  const from = { bytes, at: VALUE_SECTION.length, depth: 0 };
  const value = read(from);
  if (from.at !== bytes.length) throw new Error('something follows the value');
  return value;
}

function read(from: Reader): unknown {
  const code = take(from, 1).readUInt8();
  const reader = READERS[code];
  if (reader === undefined) throw new Error(`it holds a value of the type ${code}`);
  return reader(from);
}

function list(from: Reader, width: 1 | 4): unknown[] {
  return items(from, width, (count) => Array.from({ length: count }, () => read(from)));
}

function map(from: Reader, width: 1 | 4): object {
  return items(from, width, (count) => {
    const entries = Array.from({ length: count / 2 }, () => {
      const key = read(from);
      if (typeof key !== 'string') throw new Error('a key is no text');
      return [key, read(from)] as const;
    });
    return Object.fromEntries(entries);
  });
}

function items<T>(from: Reader, width: 1 | 4, readItems: (count: number) => T): T {
  from.depth += 1;
  const left = size(from, width) - width;
  const count = size(from, width);
  // Each takes a byte at least.
  if (from.depth > MAX_DEPTH || count > left) throw new Error('it is too deep, or too long');
  const found = readItems(count);
  from.depth -= 1;
  return found;
}

function size(from: Reader, width: 1 | 4): number {
  return take(from, width).readUIntBE(0, width);
}

function take(from: Reader, count: number): Buffer {
  const end = from.at + count;
  if (end > from.bytes.length) throw new Error('it ends too early');
  const taken = from.bytes.subarray(from.at, end);
  from.at = end;
  return taken;
}
