export { describeError, type ErrorDescription } from './describe-error.ts';
export { DURATION_STEPS } from './durations.ts';
export { createLogger, type Logger, type LogLevel, NestLogger, subjectOf } from './logger.ts';
export { Metrics } from './metrics.ts';
export type { Reading } from './plain-metric.ts';
export type { SamplerName, Tracing, TracingSettings } from './tracing/export-traces.ts';
export { openTracing } from './tracing/open-tracing.ts';
