import type { ErrorCode } from '#contracts';

import type { Operation } from '../operations.ts';
import { statusClass } from '../transport/exchange.ts';
import { ERROR_TABLE, type ErrorRow } from './error-table.ts';
import type { ErrorBody } from './read-errors.ts';

interface Classification {
  readonly code: ErrorCode;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** An answer that is no success. */
export interface ErrorAnswer {
  readonly status: number;
  readonly operation: Operation;
  readonly body: ErrorBody;
  /** The data of the command. */
  readonly data: object;
}

/** Classifies an answer by the table. */
export function classifyError({ status, operation, body, data }: ErrorAnswer): Classification {
  const { entries, foreign, isBare } = body;
  const texts = entries.flatMap(({ detail, title }) => [detail, title]).filter((text) => text !== undefined);
  for (const row of ERROR_TABLE) {
    const { code } = row;
    if (row.status !== status && row.status !== statusClass(status)) continue;
    if (row.operation !== undefined && row.operation !== operation) continue;
    if (row.isOwn && foreign !== undefined) continue;
    if (row.hasCurrency !== undefined && row.hasCurrency !== hasCurrency(data)) continue;
    if (row.pointer && !entries.some(({ pointer }) => row.pointer?.test(pointer?.trim() ?? ''))) continue;
    const match = matchText(row, texts);
    if (match === undefined) continue;
    const maxLength = match?.groups?.['maxLength'];
    if (maxLength !== undefined) return { code, details: { maxLength: Number(maxLength) } };
    // A wrong address, or a proxy that does not know this path.
    if (code === 'NOT_FOUND' && foreign !== undefined) return { code, details: { body: foreign } };
    // Some installations say no more of a wrong signature.
    if (code === 'BAD_REQUEST' && status === 400 && isBare) return { code, details: { hint: 'signature' } };
    return { code };
  }
  return { code: 'PLATFORM_PROTOCOL_ERROR' };
}

function hasCurrency(data: object): boolean {
  const { currency, player } = data as { currency?: string; player?: { currency?: string } };
  return Boolean(currency ?? player?.currency);
}

/** The match if the row asks for a text, `null` if it asks for none, `undefined` if its text is missing. */
function matchText({ text }: ErrorRow, texts: readonly string[]): RegExpExecArray | null | undefined {
  if (text === undefined) return null;
  return texts.map((candidate) => text.exec(candidate.trim())).find((match) => match !== null);
}
