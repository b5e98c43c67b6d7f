import type { CommandErrorFacts, ErrorCode } from '#contracts';

import { type StatusClass, statusClass } from '../transport/connection.ts';
import { readErrors } from './read-errors.ts';

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
const TOO_LONG = /^the maximum username length is (\d{1,9})$/;

/** Texts that say what is wrong. These rows come first, and those of the operation next. */
const ROWS_BEFORE: readonly ErrorRow[] = [
  { status: 400, text: /^not valid request(?: signature)?$/, code: 'SIGNATURE_REJECTED' },
  { status: 422, text: /^auth type not valid$/, code: 'AUTH_TYPE_INVALID' },
  { status: 422, text: /^currency cannot be blank$/, code: 'CURRENCY_REQUIRED' },
  { status: 422, text: /^currency not found$/, code: 'CURRENCY_NOT_FOUND' },
  { status: 422, text: /^this currency is not active$/, code: 'CURRENCY_INACTIVE' },
  { status: 422, text: TAKEN, code: 'NICKNAME_TAKEN' },
  { status: 422, text: TOO_LONG, code: 'NICKNAME_TOO_LONG' },
];

/** Everything else. Source: bus contract, section 4; interface document, "Errors". */
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

/** Codes of answers that often come from a proxy or firewall instead of the platform. */
const FOREIGN_BODY: ReadonlySet<ErrorCode> = new Set(['FORBIDDEN', 'NOT_FOUND']);

/**
 * Classifies an answer that is not a success by the error table.
 *
 * @param text the body; `undefined` if it cannot be read
 * @param ofOperation rows that apply only to the operation
 * @param data the data of the command
 * @returns the code with details, and the errors of the body, unchanged
 */
export function classifyError(
  status: number,
  text: string | undefined,
  ofOperation: readonly ErrorRow[],
  data: object,
) {
  const { entries, texts, paths, foreign, otherThanJsonApi, isBare } = readErrors(text);
  const isMatch = (row: ErrorRow): boolean =>
    (row.status === status || row.status === statusClass(status)) &&
    (!row.isOwn || otherThanJsonApi === undefined) &&
    (row.hasCurrency === undefined || row.hasCurrency === hasCurrency(data)) &&
    (!row.member || paths.some((path) => path.at(-1) === row.member)) &&
    (!row.text || texts.some((each) => row.text?.test(each)));
  const row = [...ROWS_BEFORE, ...ofOperation, ...ROWS_AFTER].find(isMatch);
  const code = row?.code ?? 'PLATFORM_PROTOCOL_ERROR';
  let details: CommandErrorFacts['details'];
  if (code === 'NICKNAME_TOO_LONG') {
    details = { maxLength: Number(texts.map((each) => TOO_LONG.exec(each)?.[1]).find(Boolean)) };
  }
  // The URL is wrong, or a proxy does not know the path.
  const body = code === 'NOT_FOUND' ? otherThanJsonApi : foreign;
  if (FOREIGN_BODY.has(code) && body !== undefined) details = { body };
  // Some installations answer a wrong signature with nothing more.
  if (code === 'BAD_REQUEST' && status === 400 && isBare) details = { hint: 'signature' };
  return { code, details, entries };
}

function hasCurrency(data: object): boolean {
  const { currency, player } = data as { currency?: string; player?: { currency?: string } };
  return Boolean(currency ?? player?.currency);
}
