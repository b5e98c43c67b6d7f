import type { CommandErrorFacts, ErrorCode } from '#contracts';

import { statusClass } from '../transport/connection.ts';
import { type ErrorRow, errorTable, TOO_LONG } from './error-table.ts';
import { readErrors } from './read-errors.ts';

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
  const code = errorTable(ofOperation).find(isMatch)?.code ?? 'PLATFORM_PROTOCOL_ERROR';
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
