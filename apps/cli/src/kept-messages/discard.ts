import type { KeptQueueOptions } from '#messaging/client';

import { withKeptQueue } from '../bus/with-kept-queue.ts';
import type { ExitCode } from '../exit.ts';
import { interruptibly } from '../interruption.ts';
import { type Action, type ActionOptions, carryOut } from './carry-out.ts';
import type { Noun } from './describe-kept.ts';

/** Removes messages for good. */
export function discard(
  queue: KeptQueueOptions['queue'],
  noun: Noun,
  options: ActionOptions,
): Promise<ExitCode> {
  const action: Action = {
    verb: 'Discard',
    done: 'discarded',
    noun,
    refusalOf: () => undefined,
    decide: () => 'remove',
    endsAtRefusal: false,
  };
  return interruptibly((signal) =>
    withKeptQueue(queue, (kept) => carryOut(kept, action, options, signal), options),
  );
}
