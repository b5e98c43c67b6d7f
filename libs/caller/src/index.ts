export { Caller, createCaller, type ReplyTo } from './caller.ts';
export { CALLER_CODES, CallerError, type CallerErrorCode } from './caller-error.ts';
export type { CallerOptions } from './caller-options.ts';
export type {
  CallOptions,
  CommandOptions,
  CommandProperties,
  PlayerCommand,
  PreparedCommand,
  ReportCommand,
  TraceContext,
} from './calls/command.ts';
export type { ReplyHandler } from './replies/replies.ts';
export type { BusReply } from './replies/reply.ts';
export {
  type AdHocRecord,
  formatAmount,
  type RakeRecord,
  type Report,
  type ReportPage,
  type ReportSummary,
} from './reports/report.ts';
