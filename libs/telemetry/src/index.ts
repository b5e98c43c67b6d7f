export { describeError, type ErrorDescription } from './describe-error.ts';
export { createLogger, type Logger, LOG_LEVELS, type LogLevel } from './logger.ts';
export { Metrics } from './metrics.ts';
export { NestLogger } from './nest-logger.ts';
