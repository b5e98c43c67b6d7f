import type { ErrorBody } from '../errors/error-body.ts';

/** The data of `session.created`. */
export interface SessionCreated {
  readonly userId: string;
  readonly sessionId: string;
  /** A short-lived token: whoever has it acts for the player. */
  readonly auth: string;
  readonly redirectUrl: string;
}

/** The data of `game.opened`. */
export interface GameOpened {
  readonly id: string;
  readonly playerId: string;
  readonly sessionId: string;
  /** A short-lived token: whoever has it acts for the player. */
  readonly auth: string;
  readonly url: string;
}

export type ReportName = 'ad-hoc' | 'rake';

/** The platform's attributes of one record, names in camelCase, and its `id`; amounts are integers in minor units, digit for digit. */
export type ReportRecord = Readonly<Record<string, unknown>> & { readonly id: string };

/** The data of `report.page`. */
export interface ReportPage {
  readonly report: ReportName;
  /** From 1. */
  readonly page: number;
  readonly pageCount: number;
  readonly perPage: number;
  readonly totalCount: number;
  /** Each currency on the page with its number of decimals, `null` where none is configured. */
  readonly precisions: Readonly<Record<string, number | null>>;
  readonly records: readonly ReportRecord[];
}

/** The data of `report.completed`. */
export interface ReportCompleted {
  readonly report: ReportName;
  /** Pages that were published. */
  readonly pages: number;
  /** Records on them. */
  readonly records: number;
  readonly totalCount: number;
  /** Whether the platform's total differed between pages. */
  readonly changedWhileReading: boolean;
}

/** The data of each reply by its type. Source: bus contract, section 3. */
export interface ReplyData {
  'session.created': SessionCreated;
  'game.opened': GameOpened;
  'report.page': ReportPage;
  'report.completed': ReportCompleted;
  'command.failed': ErrorBody;
}

export type ReplyType = keyof ReplyData;

/** One reply: a type and its data. */
export type Reply = {
  readonly [T in ReplyType]: { readonly type: T; readonly data: ReplyData[T] };
}[ReplyType];
