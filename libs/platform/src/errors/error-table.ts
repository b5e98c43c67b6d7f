import type { ErrorCode } from '#contracts';

import type { StatusClass } from '../transport/connection.ts';

/** A row of the error table. The first row whose members all match an answer determines the code. */
export interface ErrorRow {
  readonly status: number | StatusClass;
  /** The last name of one of the answer's pointers, in lower case and without separators. Default: any. */
  readonly member?: string;
  /** True if the command gave a currency. Default: either. */
  readonly hasCurrency?: boolean;
  /** A complete text of the answer, in any letter case, with or without a full stop. Default: any. */
  readonly text?: RegExp;
  /**
   * True if the answer must be the platform's own: an error document of JSON:API, or empty. Default: false.
   */
  readonly isOwn?: true;
  readonly code: ErrorCode;
}

const TAKEN = /^a player with this username already exists in the system$/;
export const TOO_LONG = /^the maximum username length is (\d{1,9})$/;

/** Texts that say what is wrong. */
const ROWS_BEFORE: readonly ErrorRow[] = [
  { status: 400, text: /^not valid request(?: signature)?$/, code: 'SIGNATURE_REJECTED' },
  { status: 422, text: /^auth type not valid$/, code: 'AUTH_TYPE_INVALID' },
  { status: 422, text: /^currency cannot be blank$/, code: 'CURRENCY_REQUIRED' },
  { status: 422, text: /^currency not found$/, code: 'CURRENCY_NOT_FOUND' },
  { status: 422, text: /^this currency is not active$/, code: 'CURRENCY_INACTIVE' },
  { status: 422, text: TAKEN, code: 'NICKNAME_TAKEN' },
  { status: 422, text: TOO_LONG, code: 'NICKNAME_TOO_LONG' },
];

/** Everything else. */
const ROWS_AFTER: readonly ErrorRow[] = [
  { status: 401, code: 'FORBIDDEN' },
  { status: 403, code: 'FORBIDDEN' },
  { status: 404, code: 'NOT_FOUND' },
  // For some session errors, the interface document specifies no text; the pointer identifies the member.
  { status: 422, member: 'authtype', code: 'AUTH_TYPE_INVALID' },
  { status: 422, member: 'currency', hasCurrency: false, code: 'CURRENCY_REQUIRED' },
  { status: 422, member: 'currency', code: 'CURRENCY_NOT_FOUND' },
  { status: 422, code: 'INCORRECT_DATA' },
  { status: 429, code: 'RATE_LIMITED' },
  { status: '3xx', code: 'UNEXPECTED_REDIRECT' },
  { status: '4xx', code: 'BAD_REQUEST' },
  { status: '5xx', code: 'PLATFORM_UNAVAILABLE' },
];

/**
 * Returns the meaning of each answer that is not a success, in this order: texts that say what is wrong, the
 * rows of the operation, everything else. Source: bus contract, section 4; interface document, "Errors".
 */
export const errorTable = (ofOperation: readonly ErrorRow[]): readonly ErrorRow[] => [
  ...ROWS_BEFORE,
  ...ofOperation,
  ...ROWS_AFTER,
];
