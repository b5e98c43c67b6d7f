export { describeError, type ErrorDescription } from './describe-error.ts';
export { DURATION_STEPS } from './durations.ts';
export {
  createLogger,
  isPlainText,
  lineWriter,
  type Logger,
  type LogLevel,
  NestLogger,
  subjectOf,
} from './logger.ts';
export { Metrics } from './metrics.ts';
export type { StateReading } from './plain-metric.ts';
export { openTracing } from './tracing/open-tracing.ts';
export type { SamplerName, Tracing, TracingSettings } from './tracing/tracing.ts';
