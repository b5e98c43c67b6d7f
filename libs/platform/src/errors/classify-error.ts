import type { CommandErrorFacts, ErrorCode, PlatformErrorEntry } from '#contracts';

import type { Operation } from '../operations.ts';
import { type StatusClass, statusClass } from '../transport/connection.ts';

/** One row of the table. The first row that matches an answer in every member gives its code. */
interface ErrorRow {
  readonly status: number | StatusClass;
  /** Absent: any operation. */
  readonly operation?: Operation;
  /** Matches the pointer of one of its errors. Absent: any. */
  readonly pointer?: RegExp;
  /** Whether the command gave a currency. Absent: either. */
  readonly hasCurrency?: boolean;
  /** A whole `detail` or `title` of the answer, in any letter case, with a full stop or without. Absent: any. */
  readonly text?: RegExp;
  /** Whether the answer has to be the platform's own: an error document of JSON:API, or nothing. Default: no. */
  readonly isOwn?: true;
  readonly code: ErrorCode;
}

const TAKEN = /^a player with this username already exists in the system$/;
const TOO_LONG = /^the maximum username length is (\d{1,9})$/;
const AT_AUTH_TYPE = /(?:^|\/)auth[-_]?type$/i;
const AT_CURRENCY = /(?:^|\/)currency$/i;

/** What each answer means that is no success. Source: bus contract, section 4; interface document, "Errors". */
const ERROR_TABLE: readonly ErrorRow[] = [
  { status: 400, text: /^not valid request signature$/, code: 'SIGNATURE_REJECTED' },
  { status: 400, operation: 'game.open', text: /^not valid request$/, code: 'SIGNATURE_REJECTED' },
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
  { status: 422, pointer: AT_AUTH_TYPE, code: 'AUTH_TYPE_INVALID' },
  { status: 422, pointer: AT_CURRENCY, hasCurrency: false, code: 'CURRENCY_REQUIRED' },
  { status: 422, pointer: AT_CURRENCY, code: 'CURRENCY_NOT_FOUND' },
  { status: 422, code: 'INCORRECT_DATA' },
  { status: 429, code: 'RATE_LIMITED' },
  { status: '3xx', code: 'UNEXPECTED_REDIRECT' },
  { status: '4xx', code: 'BAD_REQUEST' },
  { status: '5xx', code: 'PLATFORM_UNAVAILABLE' },
];

const MAX_ENTRIES = 20;
/** What a body is by its first character; else it is a text. */
const KINDS: Readonly<Record<string, string>> = { '<': 'html', '{': 'json', '[': 'json' };
/** Says no more than that the request is bad, or nothing at all. */
const BARE = /^(?:bad request)?$/;

/**
 * Classifies an answer that is no success by the table.
 *
 * @param text its body; `undefined` if it cannot be read
 * @param data of the command
 * @returns its errors as they came, too
 */
export function classifyError(status: number, text: string | undefined, operation: Operation, data: object) {
  const { entries, foreign, isBare } = readErrors(text);
  const texts = entries.flatMap(({ detail = '', title = '' }) => [plain(detail), plain(title)]);
  const isMatch = (row: ErrorRow): boolean =>
    (row.status === status || row.status === statusClass(status)) &&
    (!row.operation || row.operation === operation) &&
    (!row.isOwn || foreign === undefined) &&
    (row.hasCurrency === undefined || row.hasCurrency === hasCurrency(data)) &&
    (!row.pointer || entries.some(({ pointer = '' }) => row.pointer?.test(pointer.trim()))) &&
    (!row.text || texts.some((each) => row.text?.test(each)));
  const code = ERROR_TABLE.find(isMatch)?.code ?? 'PLATFORM_PROTOCOL_ERROR';
  let details: CommandErrorFacts['details'];
  if (code === 'NICKNAME_TOO_LONG') {
    details = { maxLength: Number(texts.map((each) => TOO_LONG.exec(each)?.[1]).find(Boolean)) };
  }
  // A wrong address, or a proxy that does not know this path.
  if (code === 'NOT_FOUND' && foreign !== undefined) details = { body: foreign };
  // Some installations say no more of a wrong signature.
  if (code === 'BAD_REQUEST' && status === 400 && isBare) details = { hint: 'signature' };
  return { code, details, entries };
}

/** `foreign` says what a body is that is neither an error document of JSON:API nor empty. */
function readErrors(text: string | undefined) {
  if (text === undefined) return { entries: [], foreign: 'text', isBare: false };
  const { errors } = membersOf(parsed(text));
  if (Array.isArray(errors)) {
    const entries = errors.slice(0, MAX_ENTRIES).map(readEntry);
    return { entries, foreign: undefined, isBare: entries.every(saysNothing) };
  }
  const body = text.trim();
  const foreign = body === '' ? undefined : (KINDS[body.charAt(0)] ?? 'text');
  return { entries: [], foreign, isBare: BARE.test(plain(body)) };
}

function readEntry(error: unknown): PlatformErrorEntry {
  const { status: given, title, detail, source } = membersOf(error);
  const status = Number(given ?? Number.NaN);
  const { pointer } = membersOf(source);
  return {
    ...(Number.isSafeInteger(status) && { status }),
    ...(typeof title === 'string' && { title }),
    ...(typeof detail === 'string' && { detail }),
    ...(typeof pointer === 'string' && { pointer }),
  };
}

function saysNothing({ title = '', detail = '', pointer }: PlatformErrorEntry): boolean {
  return pointer === undefined && BARE.test(plain(title)) && BARE.test(plain(detail));
}

function plain(text: string): string {
  return text.trim().toLowerCase().replace(/\.$/, '');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' ? ((value ?? {}) as Readonly<Record<string, unknown>>) : {};
}

function hasCurrency(data: object): boolean {
  const { currency, player } = data as { currency?: string; player?: { currency?: string } };
  return Boolean(currency ?? player?.currency);
}
