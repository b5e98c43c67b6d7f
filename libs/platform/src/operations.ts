import type { Priority, RepeatAfterUnknown } from '#resilience';

/** The four calls of the interface document, by the names that metrics, health and logs use. */
export const OPERATIONS = [
  'session.create',
  'game.open',
  'report.ad-hoc.fetch',
  'report.rake.fetch',
] as const;
export type Operation = (typeof OPERATIONS)[number];

interface OperationTraits {
  readonly priority: Priority;
  /** Opening a game twice opens the same session, and a report is a read; a session is a new one each time. */
  readonly repeatAfterUnknown: RepeatAfterUnknown;
  /** What a call ends as whose outcome nobody knows: a read has done nothing. */
  readonly unknownCode: 'OUTCOME_UNKNOWN' | 'PLATFORM_UNAVAILABLE';
  readonly maxAnswerBytes: number;
}

const MIB = 1024 * 1024;

export const OPERATION_TRAITS: Readonly<Record<Operation, OperationTraits>> = {
  'session.create': {
    priority: 'interactive',
    repeatAfterUnknown: 'once',
    unknownCode: 'OUTCOME_UNKNOWN',
    maxAnswerBytes: MIB,
  },
  'game.open': {
    priority: 'interactive',
    repeatAfterUnknown: 'freely',
    unknownCode: 'OUTCOME_UNKNOWN',
    maxAnswerBytes: MIB,
  },
  'report.ad-hoc.fetch': {
    priority: 'background',
    repeatAfterUnknown: 'freely',
    unknownCode: 'PLATFORM_UNAVAILABLE',
    maxAnswerBytes: 16 * MIB,
  },
  'report.rake.fetch': {
    priority: 'background',
    repeatAfterUnknown: 'freely',
    unknownCode: 'PLATFORM_UNAVAILABLE',
    maxAnswerBytes: 16 * MIB,
  },
};
