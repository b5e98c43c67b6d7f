export { busNames, type BusNames } from './bus-names.ts';
export {
  COMMAND_TYPES,
  commandTypeOf,
  type CommandType,
  isCommandType,
  type Lane,
  LANE_OF_COMMAND,
  LANES,
  SCHEMA_VERSION,
} from './command-types.ts';
export { GameOpen, GamePlayer, GameSession } from './commands/game-open.ts';
export { AdHocReportFetch, RakeReportFetch } from './commands/report-fetch.ts';
export { AUTH_TYPES, type AuthType, SessionCreate } from './commands/session-create.ts';
export { type CommandData, validateCommand } from './commands/validate-command.ts';
export { CommandError, type CommandErrorFacts } from './errors/command-error.ts';
export type { ErrorBody, PlatformAnswer, PlatformErrorEntry, Violation } from './errors/error-body.ts';
export { ERROR_CODES, type ErrorCategory, type ErrorCode } from './errors/error-codes.ts';
export type {
  GameOpened,
  Reply,
  ReplyData,
  ReplyType,
  ReportCompleted,
  ReportName,
  ReportPage,
  ReportRecord,
  SessionCreated,
} from './replies/replies.ts';
export { type LaunchOptions, readLaunchOptions } from './validation/launch-options.ts';
