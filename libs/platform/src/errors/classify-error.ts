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

/** An answer that is no success. */
export interface ErrorAnswer {
  readonly status: number;
  readonly operation: Operation;
  readonly entries: readonly PlatformErrorEntry[];
  /** `undefined` for an error document of JSON:API, and for an empty body. */
  readonly foreign: ForeignBody | undefined;
  /** Of the command. */
  readonly data: object;
}

/** Classifies an answer by the table. */
export function classifyError(answer: ErrorAnswer): Classification {
  const { status, operation, entries, foreign, data } = answer;
  const texts = entries.flatMap(({ detail, title }) => [detail, title]).filter((text) => text !== undefined);
  for (const row of ERROR_TABLE) {
    if (row.status !== status && row.status !== statusClass(status)) continue;
    if (row.operation !== undefined && row.operation !== operation) continue;
    if (row.isOwn && foreign !== undefined) continue;
    if (row.hasCurrency !== undefined && row.hasCurrency !== hasCurrency(data)) continue;
    if (row.pointer && !entries.some(({ pointer }) => row.pointer?.test(pointer?.trim() ?? ''))) continue;
    const match = matchText(row, texts);
    if (match === undefined) continue;
    const maxLength = match?.groups?.['maxLength'];
    if (maxLength !== undefined) return { code: row.code, details: { maxLength: Number(maxLength) } };
    return { code: row.code, details: detailsOf(row.code, texts, answer) };
  }
  return { code: 'PLATFORM_PROTOCOL_ERROR', details: undefined };
}

function detailsOf(
  code: ErrorCode,
  texts: readonly string[],
  { status, entries, foreign }: ErrorAnswer,
): Classification['details'] {
  // A wrong address, or a proxy that does not know this path.
  if (code === 'NOT_FOUND' && foreign !== undefined) return { body: foreign };
  // Some installations say no more than that of a wrong signature, or nothing at all.
  const isBare =
    foreign === undefined &&
    texts.every((text) => BARE.test(text.trim())) &&
    entries.every(({ pointer }) => pointer === undefined);
  return code === 'BAD_REQUEST' && status === 400 && isBare ? { hint: 'signature' } : undefined;
}

function hasCurrency(data: object): boolean {
  const { currency, player } = data as { currency?: string; player?: { currency?: string } };
  return Boolean(currency ?? player?.currency);
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
