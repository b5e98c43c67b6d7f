export type { CommandProperties, PreparedCommand } from './bus/publisher.ts';
export { Caller, createCaller } from './caller.ts';
export type { CallerOptions } from './caller-options.ts';
export type { ReplyTo } from './calls/call.ts';
export type {
  CallOptions,
  CommandOptions,
  PlayerCommand,
  ReportCommand,
  TraceContext,
} from './calls/prepare-command.ts';
export { CALLER_CODES, CallerError, type CallerErrorCode } from './errors/caller-error.ts';
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
