export { busNames, type BusNames } from './bus-names.ts';
export {
  COMMAND_TYPES,
  commandTypeOf,
  type CommandType,
  isCommandType,
  LANE_OF_COMMAND,
  SCHEMA_VERSION,
} from './command-types.ts';
export { type CommandData, COMMANDS } from './commands/commands.ts';
export { GameOpen, GameOpened, GamePlayer, GameSession } from './commands/game-open.ts';
export { AdHocReportFetch } from './commands/report-ad-hoc-fetch.ts';
export { RakeReportFetch } from './commands/report-rake-fetch.ts';
export { SessionCreate, SessionCreated } from './commands/session-create.ts';
export { isOfUnknownMember, validateCommand } from './commands/validate-command.ts';
export type { CommandDefinition } from './definition/define-command.ts';
export type { ReplyDefinition } from './definition/define-reply.ts';
export type { Example } from './definition/example.ts';
export { CommandError, type CommandErrorFacts } from './errors/command-error.ts';
export { ErrorBody, PlatformAnswer, PlatformErrorEntry, Violation } from './errors/error-body.ts';
export { ERROR_CODES, type ErrorCategory, type ErrorCode } from './errors/error-codes.ts';
export { type Lane, LANES } from './lanes.ts';
export {
  announcedData,
  isFinalReplyType,
  type Reply,
  REPLIES,
  type ReplyData,
  type ReplyTo,
  type ReplyType,
} from './replies.ts';
export { extentsDiffer, mostPagesOf, type ReportExtent } from './replies/report-extent.ts';
export {
  RecordFault,
  ReportCompleted,
  type ReportName,
  ReportPage,
  type ReportRecord,
} from './replies/report-replies.ts';
export { AUTH_TYPES, type AuthType } from './validation/auth-type.ts';
export { type LaunchOptions, readLaunchOptions } from './validation/launch-options.ts';
export type { Shape } from './validation/rules-of.ts';
