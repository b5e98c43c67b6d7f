export { describeError, type ErrorDescription } from './describe-error.ts';
export { isPlainText, lineWriter } from './line-writer.ts';
export { createLogger, type Logger, type LogLevel } from './logger.ts';
export { Metrics } from './metrics.ts';
export { NestLogger } from './nest-logger.ts';
