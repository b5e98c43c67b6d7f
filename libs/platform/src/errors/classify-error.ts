import type { ErrorCode, PlatformErrorEntry } from '#contracts';

import type { Operation } from '../operations.ts';
import { statusClass } from '../transport/answer.ts';
import { ERROR_TABLE, type ErrorRow } from './error-table.ts';

interface Classification {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;
}

/** Classifies an answer that is no success by the table. */
export function classifyError(
  status: number,
  operation: Operation,
  entries: readonly PlatformErrorEntry[],
): Classification {
  const texts = entries.flatMap(({ detail, title }) => [detail, title]).filter((text) => text !== undefined);
  for (const row of ERROR_TABLE) {
    if (row.status !== status && row.status !== statusClass(status)) continue;
    if (row.operation !== undefined && row.operation !== operation) continue;
    const match = matchText(row, texts);
    if (match === undefined) continue;
    const maxLength = match?.groups?.['maxLength'];
    return {
      code: row.code,
      details: maxLength === undefined ? undefined : { maxLength: Number(maxLength) },
    };
  }
  return { code: 'PLATFORM_PROTOCOL_ERROR', details: undefined };
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
