import type { BusNames } from '#contracts';
import type { Window } from '#resilience';

import type { CallerPolicy } from '../envelope/caller-policy.ts';
import type { IdempotencyStore } from '../idempotency/idempotency-store.ts';
import type { MessagingObserver } from '../observer/messaging-observer.ts';
import type { ReplySender } from '../replies/reply-sender.ts';
import type { InterruptedRuns } from './interrupted-runs.ts';
import type { Step } from './step.ts';
import { answerFailures } from './steps/answer-failures.ts';
import { authorize } from './steps/authorize.ts';
import { checkReplyQueue } from './steps/check-reply-queue.ts';
import { checkType } from './steps/check-type.ts';
import { deadLetter } from './steps/dead-letter.ts';
import { decode } from './steps/decode.ts';
import { deduplicate } from './steps/deduplicate.ts';
import { type CommandHandler, invoke } from './steps/invoke.ts';
import { postpone } from './steps/postpone.ts';
import { resume } from './steps/resume.ts';
import { route } from './steps/route.ts';
import { validate } from './steps/validate.ts';
import { withinDeadline } from './steps/within-deadline.ts';
import { withinShare } from './steps/within-share.ts';

export interface StepsOptions {
  readonly names: BusNames;
  /** Starts in quarantine before a command is poison (setting `DELIVERY_LIMIT`). */
  readonly deliveryLimit: number;
  /** The delays of the retry queues, shortest first (setting `REPORTS_RETRY_DELAYS_MS`). */
  readonly retryDelaysMs: readonly number[];
  /** By command type. */
  readonly handlers: ReadonlyMap<string, CommandHandler>;
  /** Whether credentials stand under a name. */
  readonly hasOperator: (name: string) => boolean;
  readonly callers: CallerPolicy;
  /** Of players' commands. */
  readonly window: Window;
  readonly idempotency: IdempotencyStore;
  readonly interrupted: InterruptedRuns;
  readonly replies: ReplySender;
  readonly observer: MessagingObserver;
  readonly nowMs: () => number;
}

/** Everything that a command passes, in this order; what comes back passes it the other way round. */
export function stepsOf(options: StepsOptions): readonly Step[] {
  const { names, deliveryLimit, retryDelaysMs, handlers, hasOperator, nowMs } = options;
  return [
    deadLetter,
    postpone(names, retryDelaysMs),
    answerFailures(nowMs),
    route(names, deliveryLimit),
    decode,
    checkType(handlers),
    checkReplyQueue,
    authorize(hasOperator, options.callers),
    validate,
    withinShare(options.window, options.idempotency),
    deduplicate(options),
    // What is remembered for repeats may be a failure.
    answerFailures(nowMs),
    resume(options.interrupted),
    withinDeadline,
    invoke(handlers, options.replies),
  ];
}
