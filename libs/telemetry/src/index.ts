export { DURATION_BOUNDS, type Reading } from './plain-metric.ts';
export { createLogger, type Logger, nestLogger, subjectOf } from './logger.ts';
export { Metrics } from './metrics.ts';
export type { SourceLines } from './source-lines.ts';
