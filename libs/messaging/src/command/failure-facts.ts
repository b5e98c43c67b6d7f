import { type ErrorBody, isOfUnknownMember, type Violation } from '#contracts';

import type { FailureFacts } from '../observer/messaging-observer.ts';

const MOST_POINTERS = 10;
const LONGEST_POINTER = 100;
const LONGEST_REASON = 300;

/** Status, pointers and reason of a failure. What the body quotes of the platform has been redacted before. */
export function failureFactsOf({ message, violations, platform, details }: ErrorBody): FailureFacts {
  const pointers = [
    ...(violations ?? []).map(pointerOf),
    ...(platform?.errors ?? []).map(({ pointer }) => pointer),
  ]
    .filter((pointer) => pointer !== undefined)
    .slice(0, MOST_POINTERS)
    .map((pointer) => pointer.slice(0, LONGEST_POINTER));
  const rules = [...new Set(violations?.map((violation) => violation.message))];
  const cause = details?.['reason'];
  const reason = typeof cause === 'string' ? cause : rules.join('; ') || message;
  return {
    ...(platform && { status: platform.status }),
    ...(pointers.length > 0 && { pointers }),
    reason: reason.slice(0, LONGEST_REASON),
  };
}

/** Without the name of a member that there is not: its sender may have written a player's name there. */
function pointerOf(violation: Violation): string {
  const { pointer } = violation;
  return isOfUnknownMember(violation) ? `${pointer.slice(0, pointer.lastIndexOf('/'))}/*` : pointer;
}
