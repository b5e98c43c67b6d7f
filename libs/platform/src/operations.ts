import { COMMAND_TYPES, type CommandType } from '#contracts';
import type { Priority, RepeatAfterUnknown } from '#resilience';

/** A call to the platform, named by the command that it serves; metrics, health and logs use the same name. */
export type Operation = CommandType;
export const OPERATIONS: readonly Operation[] = COMMAND_TYPES;

interface OperationTraits {
  readonly priority: Priority;
  /** Opening a game twice opens the session that it names, and a report is a read; creating a session creates a new one. */
  readonly repeatAfterUnknown: RepeatAfterUnknown;
  /** The code of a call whose outcome is unknown: a read has done nothing. */
  readonly unknownCode: 'OUTCOME_UNKNOWN' | 'PLATFORM_UNAVAILABLE';
  readonly maxAnswerBytes: number;
}

/** A session or a game, for a player who waits. */
const LAUNCH = {
  priority: 'interactive',
  unknownCode: 'OUTCOME_UNKNOWN',
  maxAnswerBytes: 1024 * 1024,
} as const;

/** A page of a report. */
const REPORT: OperationTraits = {
  priority: 'background',
  repeatAfterUnknown: 'freely',
  unknownCode: 'PLATFORM_UNAVAILABLE',
  maxAnswerBytes: 16 * 1024 * 1024,
};

/** How each operation is treated; a command without a row does not compile. */
export const OPERATION_TRAITS: Readonly<Record<Operation, OperationTraits>> = {
  'session.create': { ...LAUNCH, repeatAfterUnknown: 'once' },
  'game.open': { ...LAUNCH, repeatAfterUnknown: 'freely' },
  'report.ad-hoc.fetch': REPORT,
  'report.rake.fetch': REPORT,
};
