export {
  busNames,
  type BusNames,
  COMMAND_TYPES,
  type CommandType,
  commandTypeOf,
  type Compartment,
  compartmentIn,
  compartmentKey,
  isCommandType,
  isFinalReplyType,
  type Lane,
  LANE_OF_COMMAND,
  LANES,
  LONGEST_DEADLINE_MS,
  MAX_ID_BYTES,
  type ReplyType,
  SCHEMA_VERSION,
} from './message-types.ts';
export { CommandError, type CommandErrorFacts, platformSays, unansweredAtDeadline } from './command-error.ts';
export type { CommandData, Reply, ReplyData, ReplyTo } from './commands/commands.ts';
export type { GameOpen, GameOpened, GamePlayer, GameSession } from './commands/game-open.ts';
export type { AdHocReportFetch, RakeReportFetch } from './commands/report-fetch.ts';
export type { SessionCreate, SessionCreated } from './commands/session-create.ts';
export { ERROR_CODES, type ErrorCategory, type ErrorCode } from './error-codes.ts';
export type { ErrorBody, PlatformAnswer, PlatformErrorEntry, Violation } from './replies/command-failed.ts';
export type { RecordFault, ReportCompleted, ReportPage, ReportRecord } from './replies/report-replies.ts';
export {
  AGGREGATION_MS,
  extentsDiffer,
  mostPagesOf,
  REPORT_AMOUNTS,
  type ReportExtent,
  type ReportName,
  spansIntervals,
} from './reports.ts';
export type { AuthType } from './validation/member-rules.ts';
export type { ExtraMembers, ExtraSessionMembers } from './validation/extra.ts';
export type { LaunchOptions } from './validation/launch-options.ts';
