/** The fields of a protobuf message by number: varints as bigint, everything else as bytes. */
export type Fields = ReadonlyMap<number, readonly (bigint | Buffer)[]>;

/**
 * Reads a message of the protobuf wire format, which needs no schema.
 *
 * @see https://protobuf.dev/programming-guides/encoding/
 */
function readProtobuf(bytes: Buffer): Fields {
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

/** A span as a collector gets it. */
export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** '' for the first of a trace. */
  readonly parentId: string;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly isError: boolean;
}

const KINDS = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const ERROR = 2n;

/**
 * The spans of an `ExportTraceServiceRequest`.
 *
 * @see https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto
 */
export function readSpans(request: Buffer): ReceivedSpan[] {
  return messagesIn(readProtobuf(request), 1).flatMap((resourceSpans) => {
    const [resource] = messagesIn(resourceSpans, 1);
    const service = resource ? String(attributesIn(resource, 1)['service.name']) : '';
    const scopes = messagesIn(resourceSpans, 2);
    return scopes.flatMap((scope) => messagesIn(scope, 2)).map((span) => spanOf(span, service));
  });
}

function spanOf(span: Fields, service: string): ReceivedSpan {
  const [status] = messagesIn(span, 15);
  const startedAt = bytesOf(span, 7).readBigUInt64LE();
  return {
    service,
    traceId: bytesOf(span, 1).toString('hex'),
    spanId: bytesOf(span, 2).toString('hex'),
    parentId: bytesOf(span, 4).toString('hex'),
    name: bytesOf(span, 5).toString(),
    kind: KINDS[Number(span.get(6)?.[0] ?? 0)] ?? 'internal',
    startedAtMs: Number(startedAt) / 1e6,
    durationMs: Number(bytesOf(span, 8).readBigUInt64LE() - startedAt) / 1e6,
    attributes: attributesIn(span, 9),
    isError: status?.get(3)?.[0] === ERROR,
  };
}

function attributesIn(message: Fields, field: number): Record<string, string | number | boolean> {
  return Object.fromEntries(
    messagesIn(message, field).map((pair) => {
      const [value] = messagesIn(pair, 2);
      return [bytesOf(pair, 1).toString(), value ? valueOf(value) : ''];
    }),
  );
}

function valueOf(value: Fields): string | number | boolean {
  if (value.has(1)) return bytesOf(value, 1).toString();
  if (value.has(2)) return value.get(2)?.[0] === 1n;
  return Number(value.get(3)?.[0] ?? bytesOf(value, 4).readDoubleLE());
}

function messagesIn(message: Fields, field: number): Fields[] {
  return (message.get(field) ?? []).map((bytes) => readProtobuf(bytes as Buffer));
}

function bytesOf(message: Fields, field: number): Buffer {
  return (message.get(field)?.[0] as Buffer | undefined) ?? Buffer.alloc(0);
}
