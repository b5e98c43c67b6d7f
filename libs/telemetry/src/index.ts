export { describeError, type ErrorDescription } from './describe-error.ts';
export { DURATION_BOUNDS, type Reading } from './plain-metric.ts';
export { createLogger, type Logger, type LogLevel, nestLogger, subjectOf } from './logger.ts';
export { Metrics } from './metrics.ts';
