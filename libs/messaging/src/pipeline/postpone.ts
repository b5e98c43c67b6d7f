import { type BusNames, CommandError } from '#contracts';
import { nextDelayMs } from '#rabbitmq';
import { DeadlineExceeded } from '#resilience';

import type { CheckedCommand } from '../command/command.ts';
import { progressHeaders } from '../command/copy-of.ts';
import { POSTPONED } from '../envelope/own-headers.ts';
import { type Outbox, ReplyQueueClosed } from '../replies/outbox.ts';
import type { QueueState } from '../replies/refusing-queues.ts';
import type { ReportPlaces } from './report-places.ts';
import {
  errorBodyOf,
  failureOf,
  type FailedReply,
  type Settlement,
  settlementOf,
} from '../command/settlement.ts';
import { compartmentNameOf } from './share.ts';
import type { Step } from './step.ts';

export interface PostponeOptions {
  readonly names: BusNames;
  readonly settings: {
    readonly REPORTS_STALL_MS: number;
    /** The delays of the retry queues, shortest first. */
    readonly REPORTS_RETRY_DELAYS_MS: readonly number[];
  };
  readonly outbox: Outbox;
  /** Called after a report went to a retry queue because of the platform: perhaps its lane had better pause. */
  readonly onUnavailable: () => void;
  readonly nowMs: () => number;
}

/** Gives a report a place until it is settled, or has it wait in a retry queue if it would be in the way of others. */
export function reportShare(places: ReportPlaces, options: PostponeOptions): Step {
  const { nowMs } = options;
  return async (command, next) => {
    const compartment = compartmentNameOf(command);
    const asked = places.enter(compartment, command.deadline, () => fits(command, options));
    const turn = typeof asked === 'string' ? asked : await asked;
    if (turn === 'stuck') return waitShortly(command, new CommandError('OVERLOADED'), options);
    if (turn === 'expired') return settlementOf(command, new DeadlineExceeded(), nowMs());
    command.atEnd(() => places.leave(compartment));
    // Its connection may have gone while it waited.
    if (!command.delivery.isAlive) return { kind: 'return', cause: undefined };
    return next(command);
  };
}

/**
 * Has a report wait in a retry queue for the platform to come back, or for its reply queue to take messages, as long as its
 * deadline allows. While its reply queue is known to take nothing, the platform is not called.
 */
export function postpone(options: PostponeOptions): Step {
  const { outbox, settings, nowMs } = options;
  const shortestMs = shortestOf(options);
  const fail = (command: CheckedCommand, queue: QueueState): Settlement =>
    settlementOf(command, new CommandError('REPLY_QUEUE_FULL', { details: { queue } }), nowMs());
  const leftMs = (command: CheckedCommand): number =>
    settings.REPORTS_STALL_MS - (nowMs() - (command.replies.stalledSinceMs ?? nowMs()));
  /** @param isOver whether the report has held its place for as long as it may */
  const waitForQueue = (
    command: CheckedCommand,
    state: QueueState,
    isOver: boolean,
  ): Settlement | undefined => {
    const isLimited = state !== 'unreachable';
    if (isLimited && leftMs(command) <= 0) return fail(command, state);
    // One report keeps its place for the end of the wait; the others may wait a little longer.
    const isElsewhere = !isLimited || leftMs(command) > shortestMs || outbox.isTried(command);
    if (isElsewhere && fits(command, options)) {
      const error = new CommandError('REPLY_QUEUE_FULL', { details: { queue: state } });
      return waitShortly(command, error, options);
    }
    if (!isOver) return undefined;
    return isLimited ? fail(command, state) : settlementOf(command, new DeadlineExceeded(), nowMs());
  };
  return (command, next) => {
    const known = outbox.stateOfQueue(command);
    const waiting = known && waitForQueue(command, known, false);
    if (waiting) return Promise.resolve(waiting);
    return next(command).then(
      (settlement) => waitForPlatform(command, settlement, options),
      (thrown: unknown) => {
        const settlement =
          thrown instanceof ReplyQueueClosed ? waitForQueue(command, thrown.state, true) : undefined;
        if (settlement) return settlement;
        throw thrown;
      },
    );
  };
}

function waitForPlatform(
  command: CheckedCommand,
  settlement: Settlement,
  { names, settings, onUnavailable }: PostponeOptions,
): Settlement {
  const failure = failureOf(settlement);
  if (failure?.category !== 'unavailable') return settlement;
  const postponed = Number(command.envelope.own[POSTPONED]) || 0;
  const { retryAfterMs } = failure;
  const remainingMs = command.deadline.remainingMs();
  const delayMs = nextDelayMs({
    delaysMs: settings.REPORTS_RETRY_DELAYS_MS,
    postponed,
    retryAfterMs,
    remainingMs,
  });
  // Nobody else tries it again.
  if (delayMs === undefined) return { ...settlement, kind: 'dead-letter' } as Settlement;
  command.atEnd(onUnavailable);
  return waitFor(command, names, delayMs, failure, postponed + 1);
}

/** For the shortest delay, which is not counted: nothing was tried in vain. */
function waitShortly(command: CheckedCommand, error: CommandError, options: PostponeOptions): Settlement {
  const { names, nowMs } = options;
  const postponed = Number(command.envelope.own[POSTPONED]) || 0;
  const failure = errorBodyOf(error, command, nowMs());
  return waitFor(command, names, shortestOf(options), failure, postponed);
}

function waitFor(
  command: CheckedCommand,
  names: BusNames,
  delayMs: number,
  failure: FailedReply['data'],
  postponed: number,
): Settlement {
  const headers = { [POSTPONED]: postponed, ...progressHeaders(command) };
  return { kind: 'postpone', copy: { queue: names.retry(delayMs), headers }, delayMs, failure };
}

/** Whether a report can wait for the shortest delay. */
function fits({ deadline }: CheckedCommand, options: PostponeOptions): boolean {
  return deadline.remainingMs() > shortestOf(options);
}

function shortestOf({ settings }: PostponeOptions): number {
  return settings.REPORTS_RETRY_DELAYS_MS[0] ?? 0;
}
