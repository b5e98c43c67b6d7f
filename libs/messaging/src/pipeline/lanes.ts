import type { BusNames, Lane } from '#contracts';
import type { Window } from '#resilience';

import type { Command } from '../command/command.ts';
import type { IdempotencyStore } from '../idempotency/idempotency-store.ts';
import type { MessagingObserver } from '../observer/messaging-observer.ts';
import type { Outbox } from '../replies/outbox.ts';
import { once } from './once.ts';
import { postpone, type PostponeOptions, reportShare } from './postpone.ts';
import { refuse, type RefuseOptions } from './refuse.ts';
import type { ReportPlaces } from './report-places.ts';
import { resume } from './resume.ts';
import { deadline, run } from './run.ts';
import type { Settlement } from '../command/settlement.ts';
import { compartmentNameOf, share } from './share.ts';
import { inOrder } from './step.ts';

/** A lane: what its commands pass, in this order. What comes back passes it the other way round. */
export interface LaneSteps {
  /** @throws CommandError if the command is refused */
  readonly settle: (command: Command) => Promise<Settlement>;
}

export interface LanesOptions extends RefuseOptions, Omit<PostponeOptions, 'onUnavailable'> {
  readonly names: BusNames;
  readonly outbox: Outbox;
  /** Of players' commands. */
  readonly window: Window;
  readonly places: ReportPlaces;
  readonly idempotency: IdempotencyStore;
  readonly observer: MessagingObserver;
  /** Called after a command of a lane was postponed because of the platform. */
  readonly onUnavailable: (lane: Lane) => void;
  /** Called when a command of a lane has shown, while it runs, that its lane can be served. */
  readonly onServed: (lane: Lane) => void;
  readonly nowMs: () => number;
}

export function lanesOf(options: LanesOptions): Readonly<Record<Lane, LaneSteps>> {
  const { outbox, window, places, idempotency, observer, nowMs } = options;
  const waiting = { ...options, onUnavailable: () => options.onUnavailable('reports') };
  return {
    interactive: {
      settle: refuse(
        options,
        inOrder([
          once(idempotency, window, observer, nowMs),
          share(window, nowMs),
          deadline(nowMs),
          run(outbox, () => options.onServed('interactive'), nowMs),
        ]),
      ),
    },
    reports: {
      settle: refuse(
        options,
        inOrder([
          reportShare(places, waiting),
          postpone(waiting),
          resume(),
          deadline(nowMs),
          run(
            outbox,
            (command) => {
              places.moved(compartmentNameOf(command));
              options.onServed('reports');
            },
            nowMs,
          ),
        ]),
      ),
    },
  };
}
