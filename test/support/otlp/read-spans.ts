/** A span as a collector receives it. */
export type ReceivedSpan = ReturnType<typeof spanOf>;

const KINDS = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const ERROR = 2n;

/**
 * Returns the spans of an `ExportTraceServiceRequest`.
 *
 * @see
 *   https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto
 */
export function readSpans(request: Buffer): ReceivedSpan[] {
  return new ProtobufMessage(request).messages(1).flatMap((resourceSpans) => {
    const [resource] = resourceSpans.messages(1);
    const service = resource ? String(attributesIn(resource, 1)['service.name']) : '';
    const spans = resourceSpans.messages(2).flatMap((scope) => scope.messages(2));
    return spans.map((span) => spanOf(span, service));
  });
}

function spanOf(span: ProtobufMessage, service: string) {
  const startedAt = span.bytes(7).readBigUInt64LE();
  return {
    service,
    traceId: span.bytes(1).toString('hex'),
    spanId: span.bytes(2).toString('hex'),
    /** The id of the parent span; '' for a root span. */
    parentId: span.bytes(4).toString('hex'),
    name: span.bytes(5).toString(),
    kind: KINDS[Number(span.number(6) ?? 0)] ?? 'internal',
    startedAtMs: Number(startedAt) / 1e6,
    durationMs: Number(span.bytes(8).readBigUInt64LE() - startedAt) / 1e6,
    attributes: attributesIn(span, 9),
    isError: span.messages(15)[0]?.number(3) === ERROR,
  };
}

function attributesIn(message: ProtobufMessage, field: number): Record<string, string | number | boolean> {
  const pairs = message.messages(field).map((pair) => {
    const [value] = pair.messages(2);
    return [pair.bytes(1).toString(), value ? valueOf(value) : ''] as const;
  });
  return Object.fromEntries(pairs);
}

function valueOf(value: ProtobufMessage): string | number | boolean {
  if (value.has(1)) return value.bytes(1).toString();
  if (value.has(2)) return value.number(2) === 1n;
  return Number(value.number(3) ?? value.bytes(4).readDoubleLE());
}

/**
 * A message in the protobuf wire format, which can be read without a schema.
 *
 * @see https://protobuf.dev/programming-guides/encoding/
 */
class ProtobufMessage {
  readonly #fields = new Map<number, (bigint | Buffer)[]>();

  constructor(bytes: Buffer) {
    let at = 0;
    const varint = (): bigint => {
      for (let value = 0n, shift = 0n; ; shift += 7n) {
        const byte = bytes.readUInt8(at++);
        value |= BigInt(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
      }
    };
    while (at < bytes.length) {
      const tag = Number(varint());
      const values = this.#fields.get(tag >> 3) ?? [];
      this.#fields.set(tag >> 3, values);
      const wireType = tag & 7;
      if (wireType === 0) values.push(varint());
      else {
        // A length followed by that many bytes, or eight bytes, or four bytes.
        const length = wireType === 2 ? Number(varint()) : { 1: 8, 5: 4 }[wireType];
        if (length === undefined) throw new Error(`no wire type ${wireType}`);
        values.push(bytes.subarray(at, at + length));
        at += length;
      }
    }
  }

  has(field: number): boolean {
    return this.#fields.has(field);
  }

  number(field: number): bigint | undefined {
    return this.#fields.get(field)?.[0] as bigint | undefined;
  }

  bytes(field: number): Buffer {
    return (this.#fields.get(field)?.[0] as Buffer | undefined) ?? Buffer.alloc(0);
  }

  messages(field: number): ProtobufMessage[] {
    return (this.#fields.get(field) ?? []).map((bytes) => new ProtobufMessage(bytes as Buffer));
  }
}
