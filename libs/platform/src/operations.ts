import { COMMAND_TYPES, type CommandData, type CommandType, type ReplyTo } from '#contracts';
import type { Priority, RepeatAfterUnknown } from '#resilience';

import { type CollectionPage, readCollection } from './answers/read-collection.ts';
import { readGame, readSession } from './answers/read-launch.ts';
import { AD_HOC_RECORD, RAKE_RECORD } from './answers/read-record.ts';
import { inTurn } from './answers/slices.ts';
import type { OperatorCredentials } from './platform-settings.ts';

/** A call to the platform, named by the command that it serves; metrics, health and logs use the same name. */
export type Operation = CommandType;
export const OPERATIONS: readonly Operation[] = COMMAND_TYPES;

/** What a call succeeds with: the data of its command's reply, or a page of a report. */
export type Result<O extends Operation> = O extends `report.${string}` ? CollectionPage : ReplyTo<O>['data'];

/** How an operation is treated, and its answer read. */
interface Traits<O extends Operation> {
  readonly priority: Priority;
  /** Opening a game twice opens the session that it names, and a report is a read; creating a session creates a new one. */
  readonly repeatAfterUnknown: RepeatAfterUnknown;
  /** The code of a call whose outcome is unknown: a read has done nothing. */
  readonly unknownCode: 'OUTCOME_UNKNOWN' | 'PLATFORM_UNAVAILABLE';
  readonly maxAnswerBytes: number;
  /** Reads the body of a success. @throws UnexpectedDocument */
  read(body: Buffer, credentials: OperatorCredentials, data: CommandData[O]): Result<O> | Promise<Result<O>>;
}

/** A session or a game, for a player who waits. */
const LAUNCH = {
  priority: 'interactive',
  unknownCode: 'OUTCOME_UNKNOWN',
  maxAnswerBytes: 64 * 1024,
} as const;

/** A page of a report. */
const REPORT = {
  priority: 'background',
  repeatAfterUnknown: 'freely',
  unknownCode: 'PLATFORM_UNAVAILABLE',
  maxAnswerBytes: 16 * 1024 * 1024,
} as const;

/** A command without a row does not compile. */
export const OPERATION_TRAITS: { readonly [O in Operation]: Traits<O> } = {
  'session.create': { ...LAUNCH, repeatAfterUnknown: 'once', read: inTurn(readSession) },
  'game.open': { ...LAUNCH, repeatAfterUnknown: 'freely', read: inTurn(readGame) },
  'report.ad-hoc.fetch': { ...REPORT, read: readCollection(AD_HOC_RECORD) },
  'report.rake.fetch': { ...REPORT, read: readCollection(RAKE_RECORD) },
};
