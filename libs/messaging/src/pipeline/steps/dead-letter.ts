import type { ErrorBody, Lane } from '#contracts';

import { failureOf, type FailedReply } from '../settlement.ts';
import type { Step } from '../step.ts';

/** Keeps a failed command for people, if only a person can fix it. */
export const deadLetter: Step = (command, next) =>
  next(command).then((settlement) => {
    const failure = failureOf(settlement);
    if (settlement.kind !== 'answer' || !failure || !isForPeople(failure, command.lane)) return settlement;
    return { ...settlement, kind: 'dead-letter', reply: settlement.reply as FailedReply };
  });

function isForPeople({ category }: ErrorBody, lane: Lane): boolean {
  return (
    category === 'invalid' || category === 'internal' || (category === 'unavailable' && lane === 'reports')
  );
}
