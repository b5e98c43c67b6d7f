import type { CommandErrorFacts, ErrorCode } from '#contracts';

import type { Operation } from '../operations.ts';
import { type StatusClass, statusClass } from '../transport/connection.ts';
import { readErrors } from './read-errors.ts';

/** One row of the table. The first row that matches an answer in every member gives its code. */
interface ErrorRow {
  readonly status: number | StatusClass;
  /** Absent: any operation. */
  readonly operation?: Operation;
  /** The last name of one of its pointers, in lower case and without separators. Absent: any. */
  readonly member?: string;
  /** Whether the command gave a currency. Absent: either. */
  readonly hasCurrency?: boolean;
  /** A whole text of the answer, in any letter case, with a full stop or without. Absent: any. */
  readonly text?: RegExp;
  /** Whether the answer has to be the platform's own: an error document of JSON:API, or nothing. Default: no. */
  readonly isOwn?: true;
  readonly code: ErrorCode;
}

const TAKEN = /^a player with this username already exists in the system$/;
const TOO_LONG = /^the maximum username length is (\d{1,9})$/;

/** What each answer means that is no success. Source: bus contract, section 4; interface document, "Errors". */
const ERROR_TABLE: readonly ErrorRow[] = [
  { status: 400, text: /^not valid request(?: signature)?$/, code: 'SIGNATURE_REJECTED' },
  { status: 401, code: 'FORBIDDEN' },
  { status: 403, code: 'FORBIDDEN' },
  { status: 404, operation: 'session.create', isOwn: true, code: 'PLAYER_NOT_FOUND' },
  { status: 404, code: 'NOT_FOUND' },
  { status: 422, text: /^auth type not valid$/, code: 'AUTH_TYPE_INVALID' },
  { status: 422, text: /^currency cannot be blank$/, code: 'CURRENCY_REQUIRED' },
  { status: 422, text: /^currency not found$/, code: 'CURRENCY_NOT_FOUND' },
  { status: 422, text: /^this currency is not active$/, code: 'CURRENCY_INACTIVE' },
  { status: 422, text: TAKEN, code: 'NICKNAME_TAKEN' },
  { status: 422, text: TOO_LONG, code: 'NICKNAME_TOO_LONG' },
  // The interface document gives reports one code for all their data.
  { status: 422, operation: 'report.ad-hoc.fetch', code: 'INCORRECT_DATA' },
  { status: 422, operation: 'report.rake.fetch', code: 'INCORRECT_DATA' },
  // It gives no text for some faults of a session: then the pointer says which member it is.
  { status: 422, member: 'authtype', code: 'AUTH_TYPE_INVALID' },
  { status: 422, member: 'currency', hasCurrency: false, code: 'CURRENCY_REQUIRED' },
  { status: 422, member: 'currency', code: 'CURRENCY_NOT_FOUND' },
  { status: 422, code: 'INCORRECT_DATA' },
  { status: 429, code: 'RATE_LIMITED' },
  { status: '3xx', code: 'UNEXPECTED_REDIRECT' },
  { status: '4xx', code: 'BAD_REQUEST' },
  { status: '5xx', code: 'PLATFORM_UNAVAILABLE' },
];

/** Codes of answers that often are not the platform's own. */
const FOREIGN_BODY: ReadonlySet<ErrorCode> = new Set(['FORBIDDEN', 'NOT_FOUND']);

/**
 * Classifies an answer that is no success by the table.
 *
 * @param text its body; `undefined` if it cannot be read
 * @param data of the command
 * @returns its errors as they came, too
 */
export function classifyError(status: number, text: string | undefined, operation: Operation, data: object) {
  const { entries, texts, paths, foreign, otherThanJsonApi, isBare } = readErrors(text);
  const isMatch = (row: ErrorRow): boolean =>
    (row.status === status || row.status === statusClass(status)) &&
    (!row.operation || row.operation === operation) &&
    (!row.isOwn || otherThanJsonApi === undefined) &&
    (row.hasCurrency === undefined || row.hasCurrency === hasCurrency(data)) &&
    (!row.member || paths.some((path) => path.at(-1) === row.member)) &&
    (!row.text || texts.some((each) => row.text?.test(each)));
  const code = ERROR_TABLE.find(isMatch)?.code ?? 'PLATFORM_PROTOCOL_ERROR';
  let details: CommandErrorFacts['details'];
  if (code === 'NICKNAME_TOO_LONG') {
    details = { maxLength: Number(texts.map((each) => TOO_LONG.exec(each)?.[1]).find(Boolean)) };
  }
  // A wrong address, or a proxy that does not know this path.
  const body = code === 'NOT_FOUND' ? otherThanJsonApi : foreign;
  if (FOREIGN_BODY.has(code) && body !== undefined) details = { body };
  // Some installations say no more of a wrong signature.
  if (code === 'BAD_REQUEST' && status === 400 && isBare) details = { hint: 'signature' };
  return { code, details, entries };
}

function hasCurrency(data: object): boolean {
  const { currency, player } = data as { currency?: string; player?: { currency?: string } };
  return Boolean(currency ?? player?.currency);
}
