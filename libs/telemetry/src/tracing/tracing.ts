import type { Tracer } from '@opentelemetry/api';

/** How spans are sampled and exported. */
export interface TracingSettings {
  /** Of the service, as traces show it. */
  readonly serviceName: string;
  /** Where spans go by OTLP over HTTP, with its path. */
  readonly url: string;
  /** Of each request to it; they may hold secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sampler: SamplerName;
  /** The share of traces that are sampled, 0 to 1; read by the samplers of a ratio. */
  readonly samplerRatio: number;
  readonly batch: {
    /** The longest that a span waits for others. */
    readonly delayMs: number;
    readonly timeoutMs: number;
    /** Spans beyond it are dropped. */
    readonly queue: number;
    readonly size: number;
  };
}

/** OpenTelemetry's own names. */
export type SamplerName =
  'always_on' | 'always_off' | 'traceidratio' | `parentbased_${'always_on' | 'always_off' | 'traceidratio'}`;

/** Called when spans could not be exported, at most once a minute; `spans` have been lost since the last time. */
export type OnExportFailed = (spans: number, error: Error) => void;

/** The traces of this process. */
export interface Tracing {
  readonly tracer: Tracer;
  /** Exports the spans that are left, as far as that is done within `withinMs`. Never rejects. */
  close(withinMs: number): Promise<void>;
}

/** Loads the SDK of OpenTelemetry, which nothing else does, and exports spans. */
export async function openTracing(
  settings: TracingSettings,
  onExportFailed: OnExportFailed,
): Promise<Tracing> {
  const { exportTraces } = await import('./export-traces.ts');
  return exportTraces(settings, onExportFailed);
}
