import type { PlatformAnswer, PlatformErrorEntry } from '#contracts';

import { Redactor } from './redactor.ts';

/**
 * What may be passed on of an answer that is no success.
 *
 * @param secrets values, at any depth, that none of its texts may repeat
 */
export function redactedAnswer(
  status: number,
  entries: readonly PlatformErrorEntry[],
  secrets: readonly unknown[],
): PlatformAnswer {
  if (entries.length === 0) return { status, errors: [] };
  const redactor = new Redactor(secrets);
  return {
    status,
    errors: entries.map((entry) => ({
      ...(entry.status !== undefined && { status: entry.status }),
      ...(entry.title !== undefined && { title: redactor.redact(entry.title) }),
      ...(entry.detail !== undefined && { detail: redactor.redact(entry.detail) }),
      ...(entry.pointer !== undefined && { pointer: redactor.redactPointer(entry.pointer) }),
    })),
  };
}
