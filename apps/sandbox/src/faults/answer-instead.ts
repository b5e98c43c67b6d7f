import { errorDocument } from '../json-api/platform-error.ts';
import { JSON_API, type Answer } from '../json-api/send-answer.ts';
import type { PlannedFaults } from './fault-rules.ts';

/** What a fault answers in the platform's place, without anything being processed. */
export function answerInstead(fault: PlannedFaults['fault']): Answer | undefined {
  if (fault?.kind !== 'status') return undefined;
  return {
    status: fault.status,
    contentType: JSON_API,
    body: JSON.stringify(errorDocument(fault.status)),
    headers: fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter },
  };
}
