import type { PlatformAnswer, PlatformErrorEntry } from '#contracts';

import type { Redactor } from './redactor.ts';

/** What may be passed on of an answer that is no success. */
export function platformAnswer(
  status: number,
  entries: readonly PlatformErrorEntry[],
  redactor: Redactor,
): PlatformAnswer {
  return {
    status,
    errors: entries.map((entry) => ({
      ...(entry.status !== undefined && { status: entry.status }),
      ...(entry.title !== undefined && { title: redactor.redact(entry.title) }),
      ...(entry.detail !== undefined && { detail: redactor.redact(entry.detail) }),
      ...(entry.pointer !== undefined && { pointer: redactor.redact(entry.pointer) }),
    })),
  };
}
