import type { Tracer } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

/** How spans are sampled and exported: where they go, and OpenTelemetry's settings under the names of their variables. */
export interface TracingSettings {
  /** Where spans go by OTLP over HTTP, with its path. */
  readonly url: string;
  /** Sent with each request to it; they may hold secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly OTEL_SERVICE_NAME: string;
  readonly OTEL_TRACES_SAMPLER: SamplerName;
  /** The share of traces that are sampled, 0 to 1; read by the samplers of a ratio. */
  readonly OTEL_TRACES_SAMPLER_ARG: number;
  /** The longest that a span waits for others, in milliseconds. */
  readonly OTEL_BSP_SCHEDULE_DELAY: number;
  readonly OTEL_BSP_EXPORT_TIMEOUT: number;
  /** Spans beyond it are dropped. */
  readonly OTEL_BSP_MAX_QUEUE_SIZE: number;
  readonly OTEL_BSP_MAX_EXPORT_BATCH_SIZE: number;
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
  readonly close: (withinMs: number) => Promise<void>;
}

/** Longer values are cut: an id of a message, for example, comes from outside. */
const LONGEST_VALUE = 256;

/**
 * Exports spans in batches by OTLP over HTTP, in protobuf. Timeout, compression and certificates of the exporter, and
 * attributes of the service, are read from OpenTelemetry's own variables.
 */
export function exportTraces(settings: TracingSettings, onExportFailed: OnExportFailed): Tracing {
  const { url, headers, OTEL_BSP_MAX_QUEUE_SIZE: maxQueueSize } = settings;
  const exporter = new ReportingExporter(new OTLPTraceExporter({ url, headers }), onExportFailed);
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': settings.OTEL_SERVICE_NAME }))
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));
  const processor = new BatchSpanProcessor({
    exporter,
    scheduledDelayMillis: settings.OTEL_BSP_SCHEDULE_DELAY,
    exportTimeoutMillis: settings.OTEL_BSP_EXPORT_TIMEOUT,
    maxQueueSize,
    maxExportBatchSize: Math.min(settings.OTEL_BSP_MAX_EXPORT_BATCH_SIZE, maxQueueSize),
  });
  const provider = new TracerProvider({
    resource,
    sampler: samplerOf(settings),
    spanLimits: { attributeValueLengthLimit: LONGEST_VALUE },
    spanProcessors: [processor],
  });
  return {
    tracer: provider.getTracer('poker-bridge'),
    close: (withinMs) => exporter.within(withinMs, () => provider.shutdown()),
  };
}

function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: TracingSettings): Sampler {
  const samplers = {
    always_on: new AlwaysOnSampler(),
    always_off: new AlwaysOffSampler(),
    traceidratio: new TraceIdRatioBasedSampler(ratio),
  };
  const root = samplers[name.replace('parentbased_', '') as keyof typeof samplers];
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

const REPORT_INTERVAL_MS = 60_000;

/** Tells which spans were lost, but not of every batch: a collector that is away is one fault. */
class ReportingExporter implements SpanExporter {
  #reportedAtMs = Number.NEGATIVE_INFINITY;
  #lost = 0;
  #underWay = 0;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly onFailed: OnExportFailed,
  ) {}

  export(spans: ReadableSpan[], resultCallback: (result: ExportResult) => void): void {
    this.#underWay += spans.length;
    this.exporter.export(spans, (result) => {
      this.#underWay -= spans.length;
      if (result.code !== ExportResultCode.SUCCESS) {
        this.#lose(spans.length, result.error ?? new Error('the export failed'));
      }
      resultCallback(result);
    });
  }

  forceFlush(): Promise<void> {
    return this.exporter.forceFlush?.() ?? Promise.resolve();
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  /** Waits for the last exports, and tells what is still under way after `withinMs`. Never rejects. */
  async within(withinMs: number, finish: () => Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const cutOff = new Promise<'cut off'>((resolve) => {
      timer = setTimeout(() => resolve('cut off'), withinMs);
    });
    // What failed has been told.
    const outcome = await Promise.race([finish().catch(() => undefined), cutOff]);
    clearTimeout(timer);
    if (outcome !== 'cut off' || this.#underWay === 0) return;
    this.#reportedAtMs = Number.NEGATIVE_INFINITY;
    this.#lose(this.#underWay, new Error('the worker stopped before they were taken'));
  }

  #lose(spans: number, error: Error): void {
    this.#lost += spans;
    const nowMs = performance.now();
    if (nowMs - this.#reportedAtMs < REPORT_INTERVAL_MS) return;
    this.#reportedAtMs = nowMs;
    const lost = this.#lost;
    this.#lost = 0;
    this.onFailed(lost, error);
  }
}
