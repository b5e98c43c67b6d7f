import { type Fields, readProtobuf } from './read-protobuf.ts';

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
