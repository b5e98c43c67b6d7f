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
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

import { ReportingExporter } from './reporting-exporter.ts';
import type { OnExportFailed, Tracing, TracingSettings } from './tracing.ts';

/** Longer values are cut: an id of a message, for example, comes from outside. */
const LONGEST_VALUE = 256;

/**
 * Exports spans in batches by OTLP over HTTP, in protobuf. Timeout, compression and certificates of the exporter, and
 * attributes of the service, are read from OpenTelemetry's own variables.
 */
export function exportTraces(settings: TracingSettings, onExportFailed: OnExportFailed): Tracing {
  const { serviceName, url, headers, batch } = settings;
  const exporter = new ReportingExporter(new OTLPTraceExporter({ url, headers }), onExportFailed);
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': serviceName }))
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));
  const processor = new BatchSpanProcessor({
    exporter,
    scheduledDelayMillis: batch.delayMs,
    exportTimeoutMillis: batch.timeoutMs,
    maxQueueSize: batch.queue,
    maxExportBatchSize: batch.size,
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

function samplerOf({ sampler, samplerRatio }: TracingSettings): Sampler {
  switch (sampler) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(samplerRatio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(samplerRatio) });
  }
}
