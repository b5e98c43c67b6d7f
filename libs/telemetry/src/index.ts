export { describeError, type ErrorDescription } from './describe-error.ts';
export { DURATION_STEPS } from './durations.ts';
export { createLogger, type Logger, type LogLevel, NestLogger, subjectOf } from './logger.ts';
export { Metrics } from './metrics.ts';
export type { Reading } from './plain-metric.ts';
export { openTracing, type SamplerName, type Tracing, type TracingSettings } from './tracing/tracing.ts';
