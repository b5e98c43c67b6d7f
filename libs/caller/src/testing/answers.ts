import {
  type CommandData,
  type CommandType,
  ERROR_CODES,
  type ErrorBody,
  type ErrorCode,
  REPORT_AMOUNTS,
  type ReportName,
} from '@poker-bridge/contracts';

import type { ReplyTo } from '../caller.ts';
import { type CALLER_CODES, CallerError, type CallerErrorCode } from '../caller-error.ts';
import type { PlayerCommand, ReportCommand } from '../command.ts';
import type { AdHocRecord, RakeRecord } from '../record.ts';
import type { ReportSummary } from '../report.ts';

/** A command as a worker receives it. */
export interface ReceivedCommand<T extends CommandType = CommandType> {
  readonly id: string;
  readonly type: T;
  readonly data: CommandData[T];
  readonly operator: string | undefined;
  /** The number of times that a command with this id was sent, from 1. */
  readonly attempt: number;
}

export type FailureFacts = Partial<
  Pick<ErrorBody, 'message' | 'retryable' | 'retryAfterMs' | 'violations' | 'details' | 'platform'>
>;

/** An error reply of a worker, created by `fail`. */
export class Failure {
  readonly code: ErrorCode;
  readonly facts: FailureFacts;

  constructor(code: ErrorCode, facts: FailureFacts = {}) {
    this.code = code;
    this.facts = facts;
  }
}

/**
 * Returns an error reply of the worker, or an error of this library if the code is one of `CALLER_CODES`,
 * such as `NO_WORKER`.
 */
export function fail(code: ErrorCode, facts?: FailureFacts): Failure;
export function fail(code: keyof typeof CALLER_CODES): CallerError;
export function fail(code: CallerErrorCode, facts?: FailureFacts): Failure | CallerError {
  return code in ERROR_CODES ? new Failure(code as ErrorCode, facts) : CallerError.of(code);
}

/** Sends no reply: the call ends at its deadline with `NO_REPLY`, or by its signal. */
export const SILENCE = Symbol('no reply');

/** The records of `report.ad-hoc.fetch` or `report.rake.fetch`. */
export type RecordOf<T extends ReportCommand> = T extends 'report.rake.fetch' ? RakeRecord : AdHocRecord;

/** The pages of a report. Missing members of a record are 0 or have example values. */
export interface ReportAnswer<T extends ReportCommand> {
  readonly pages: readonly (readonly Partial<RecordOf<T>>[])[];
  /** Sent after the pages, instead of the summary. */
  readonly failure?: Failure;
  /** Members of the summary that replace those computed from the pages. */
  readonly summary?: Partial<ReportSummary>;
}

type Success<T extends CommandType> = T extends PlayerCommand
  ? Partial<ReplyTo<T>>
  : T extends ReportCommand
    ? ReportAnswer<T>
    : never;

type FixedAnswer<T extends CommandType> = Success<T> | Failure | typeof SILENCE;

/**
 * The answer to one attempt, or a function of the command that returns it. A function that returns a promise
 * delays the answer. With a `CallerError`, the attempt fails before it is sent.
 */
export type Answer<T extends CommandType> =
  | FixedAnswer<T>
  | CallerError
  | ((command: ReceivedCommand<T>) => FixedAnswer<T> | CallerError | Promise<FixedAnswer<T>>);

type Defaults = { readonly [T in PlayerCommand]: (data: CommandData[T]) => ReplyTo<T> };

const DEFAULTS: Defaults = {
  'session.create': ({ userId }) => ({
    userId,
    sessionId: 'test-session',
    auth: 'test-auth',
    redirectUrl: 'https://poker.example/lobby?auth=test-auth',
  }),
  'game.open': ({ player, session = {} }) => ({
    id: '/apiweb/v3/game-sessions/test-session',
    playerId: player.id,
    sessionId: session.id ?? 'test-session',
    auth: 'test-auth',
    url: `https://poker.example/${session.tableId === undefined ? 'lobby' : `table/${session.tableId}`}`,
  }),
};
const REPLY_TYPES = { 'session.create': 'session.created', 'game.open': 'game.opened' } as const;
const REPORTS = { 'report.ad-hoc.fetch': 'ad-hoc', 'report.rake.fetch': 'rake' } as const;
const READ_AT = '2026-03-02T00:21:00.000Z';

/** The type and data of one reply. */
export type ScriptedReply = readonly [type: string, data: object];

/** Returns the reply to a player's command; members missing from the answer have example values. */
export function playerReply<T extends PlayerCommand>(
  { type, data }: ReceivedCommand<T>,
  answer: object,
): ScriptedReply {
  return [REPLY_TYPES[type], { ...DEFAULTS[type](data), ...answer }];
}

/** Returns the pages of a report and its summary or failure. */
export function reportReplies<T extends ReportCommand>(
  command: ReceivedCommand<T>,
  { pages, failure, summary }: ReportAnswer<T>,
): ScriptedReply[] {
  const report: ReportName = REPORTS[command.type];
  const all = pages.flat();
  const perPage = Math.max(1, ...pages.map((page) => page.length));
  const counts = { report, totalCount: all.length };
  const ids = new Map(all.map((record, index) => [record, `record-${index + 1}`]));
  const amounts = Object.fromEntries(REPORT_AMOUNTS[report].map((name) => [name, 0]));
  const day = report === 'ad-hoc' ? { date: '2026-03-01', moneyType: 1 } : {};
  const recordOf = (record: Partial<RecordOf<T>>) => ({
    id: ids.get(record),
    userId: 'player-1',
    currency: 'EUR',
    ...day,
    ...amounts,
    ...record,
  });
  const replies: ScriptedReply[] = pages.map((page, index) => {
    const position = { page: index + 1, pageCount: pages.length, perPage, readAt: READ_AT };
    return ['report.page', { ...counts, ...position, precisions: { EUR: 2 }, records: page.map(recordOf) }];
  });
  const read = { readFrom: READ_AT, readTo: READ_AT, spansIntervals: false };
  const oddities = { changedWhileReading: false, repeated: 0, changed: 0, missing: 0, faults: 0 };
  const completed = { ...counts, pages: pages.length, records: all.length, ...oddities, ...read, ...summary };
  return [...replies, failure ? failedReply(command, failure) : ['report.completed', completed]];
}

/** Returns an error reply of a worker. */
export function failedReply({ id, type }: ReceivedCommand, { code, facts }: Failure): ScriptedReply {
  const occurredAt = new Date().toISOString();
  const body = { code, ...ERROR_CODES[code], attempts: 1, command: { id, type }, occurredAt, ...facts };
  return ['command.failed', body satisfies ErrorBody];
}
