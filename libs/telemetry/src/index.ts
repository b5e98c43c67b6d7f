export { DURATION_BOUNDS } from './plain-metric.ts';
export { createLogger, type Logger, nestLogger, subjectOf } from './logger.ts';
export { Metrics } from './metrics.ts';
export type { SourceLines } from './source-lines.ts';
export type { Reading } from './state-metric.ts';
