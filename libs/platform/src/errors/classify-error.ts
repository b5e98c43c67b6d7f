import type { ErrorCode, PlatformErrorEntry } from '#contracts';

import type { Operation } from '../operations.ts';
import { statusClass } from '../transport/answer.ts';
import { ERROR_TABLE, type ErrorRow } from './error-table.ts';

interface Classification {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;
}

/** What the body of an answer is, if it is no error document of the platform. */
export type ForeignBody = 'html' | 'text' | 'json';

const BARE = /^bad request\.?$/i;

/**
 * Classifies an answer that is no success by the table.
 *
 * @param foreign `undefined` for an error document of JSON:API, and for an empty body
 */
export function classifyError(
  status: number,
  operation: Operation,
  entries: readonly PlatformErrorEntry[],
  foreign?: ForeignBody,
): Classification {
  const texts = entries.flatMap(({ detail, title }) => [detail, title]).filter((text) => text !== undefined);
  for (const row of ERROR_TABLE) {
    if (row.status !== status && row.status !== statusClass(status)) continue;
    if (row.operation !== undefined && row.operation !== operation) continue;
    if (row.isOwn && foreign !== undefined) continue;
    const match = matchText(row, texts);
    if (match === undefined) continue;
    const maxLength = match?.groups?.['maxLength'];
    if (maxLength !== undefined) return { code: row.code, details: { maxLength: Number(maxLength) } };
    return { code: row.code, details: detailsOf(row.code, texts, foreign) };
  }
  return { code: 'PLATFORM_PROTOCOL_ERROR', details: undefined };
}

function detailsOf(
  code: ErrorCode,
  texts: readonly string[],
  foreign: ForeignBody | undefined,
): Classification['details'] {
  // A wrong address, or a proxy that does not know this path.
  if (code === 'NOT_FOUND' && foreign !== undefined) return { body: foreign };
  // Some installations say no more than that of a wrong signature.
  const isBare = texts.length > 0 && texts.every((text) => BARE.test(text.trim()));
  return code === 'BAD_REQUEST' && isBare ? { hint: 'signature' } : undefined;
}

/** The match if the row asks for a text, `null` if it asks for none, `undefined` if its text is missing. */
function matchText({ text }: ErrorRow, texts: readonly string[]): RegExpExecArray | null | undefined {
  if (text === undefined) return null;
  for (const candidate of texts) {
    const match = text.exec(candidate.trim());
    if (match !== null) return match;
  }
  return undefined;
}
