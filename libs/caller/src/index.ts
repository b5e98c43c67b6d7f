export { Caller, createCaller, type ReplyTo } from './caller.ts';
export { CALLER_CODES, CallerError, type CallerErrorCode } from './caller-error.ts';
export type { CallerOptions } from './caller-options.ts';
export type {
  CallOptions,
  CommandOptions,
  PlayerCommand,
  PreparedCommand,
  ReportCommand,
  TraceContext,
} from './command.ts';
export type { ReplyHandler } from './replies.ts';
export type { BusReply } from './reply.ts';
export { type AdHocRecord, formatAmount, type RakeRecord, type ReportPage } from './record.ts';
export type { Report, ReportSummary } from './report.ts';
export type { CallEvent, RetryOptions } from './retries.ts';
