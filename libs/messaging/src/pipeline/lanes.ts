import type { Lane } from '#contracts';
import type { Clock, Window } from '#resilience';

import type { Next, Step } from '../command/command.ts';
import type { Outbox } from '../replies/outbox.ts';
import type { ReplyQueues } from '../replies/reply-queues.ts';
import { cancel } from './cancel.ts';
import { deduplicate, type DeduplicateOptions } from './deduplicate.ts';
import { postpone, type PostponeOptions, shortestOf } from './postpone.ts';
import { ReportPlaces, reportShare } from './report-share.ts';
import { resume } from './resume.ts';
import { deadline, run } from './run.ts';
import { compartmentOf, share } from './share.ts';

/** Settles a command by the steps of its lane. An error that it throws is the failure of the command. */
export type Lanes = Readonly<Record<Lane, Next>>;

export interface LaneOptions extends DeduplicateOptions, PostponeOptions {
  readonly clock: Clock;
}

export interface LaneParts {
  readonly outbox: Outbox;
  readonly replyQueues: ReplyQueues;
  /** The places of the interactive lane. */
  readonly window: Window;
  /** The maximum of reports in flight. */
  readonly reportPlaces: number;
}

/**
 * Returns the steps of each lane, which follow `refuse`, in their order. A settlement passes back through
 * them in reverse.
 */
export function lanesOf(options: LaneOptions, parts: LaneParts): Lanes {
  const { outbox, replyQueues, window } = parts;
  const places = new ReportPlaces(parts.reportPlaces, shortestOf(options), options.clock);
  const laneOf = (steps: readonly Step[], last: Next): Next =>
    steps.reduceRight((next, step) => step(next), last);
  return {
    interactive: laneOf([deduplicate(options, window), deadline, share(window)], run(outbox)),
    reports: laneOf(
      [cancel(replyQueues), postpone(options, replyQueues), reportShare(options, places), resume(), deadline],
      run(outbox, (command) => places.moved(compartmentOf(command))),
    ),
  };
}
