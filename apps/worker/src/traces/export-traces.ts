import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

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
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

import type { TracingSettings } from '#settings';
import type { Logger } from '#telemetry';

/** Longer values are truncated: a message id, for example, is chosen by the caller. */
const LONGEST_VALUE = 256;
const REPORT_INTERVAL_MS = 60_000;
/** The exporter's agents leave the addresses of a name to Node.js, which gives each of them 250 ms. */
const ADDRESS_TIMEOUT_MS = 2_500;

/**
 * Exports spans in batches by OTLP over HTTP, in protobuf. OpenTelemetry's own variables set the timeout,
 * compression and certificates of the exporter, and the attributes of the service. Lost spans are logged at
 * most once a minute.
 */
export function exportTraces(settings: TracingSettings, logger: Logger) {
  const { url, headers, OTEL_BSP_MAX_QUEUE_SIZE: maxQueueSize } = settings;
  // Every other client of the worker has a limit of its own.
  setDefaultAutoSelectFamilyAttemptTimeout(ADDRESS_TIMEOUT_MS);
  const exporter = new ReportingExporter({ url, headers }, logger);
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
  /** Exports the remaining spans within `withinMs` milliseconds, and logs those that were not exported. */
  const close = async (withinMs: number): Promise<void> => {
    const closed = provider.shutdown().catch(() => undefined);
    await Promise.race([closed, sleep(withinMs, undefined, { ref: false })]);
    exporter.giveUp();
  };
  return { tracer: provider.getTracer('poker-bridge'), close };
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

/** Logs the number of lost spans, but not for every batch: an unavailable collector is one fault. */
class ReportingExporter extends OTLPTraceExporter {
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  #lost = 0;
  #inFlight = 0;

  constructor(
    config: ConstructorParameters<typeof OTLPTraceExporter>[0],
    private readonly logger: Logger,
  ) {
    super(config);
  }

  override export(spans: ReadableSpan[], resultCallback: (result: ExportResult) => void): void {
    this.#inFlight += spans.length;
    super.export(spans, (result) => {
      this.#inFlight -= spans.length;
      if (result.code !== ExportResultCode.SUCCESS) {
        this.#lost += spans.length;
        if (performance.now() - this.#loggedAtMs >= REPORT_INTERVAL_MS)
          this.#report(result.error ?? new Error('the export failed'));
      }
      resultCallback(result);
    });
  }

  /** Logs the spans that are still in flight when the worker stops. */
  giveUp(): void {
    this.#lost += this.#inFlight;
    if (this.#inFlight > 0) this.#report(new Error('the worker stopped before these spans were exported'));
  }

  #report(cause: Error): void {
    this.#loggedAtMs = performance.now();
    this.logger.warn(
      { event: 'traces.not-exported', spans: this.#lost, cause },
      'traces could not be exported',
    );
    this.#lost = 0;
  }
}
