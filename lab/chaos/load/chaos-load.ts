import { setTimeout as sleep } from 'node:timers/promises';

import { atRate } from '../../../test/support/interactive-load.ts';
import type { DurableCaller } from '../stage/durable-caller.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** Every nth command is a report. */
const REPORT_EVERY = 20;
const PERIOD = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00', perPage: 1 };
/**
 * The maximum of unanswered commands. At this limit, sending pauses so that the caller does not run out of
 * memory.
 */
const MAX_OPEN = 2_000;
/** If no reply arrives for this long, the remaining commands count as lost. */
const PATIENCE_MS = 75_000;

export type ChaosLoad = ReturnType<typeof chaosLoad>;

/** Sends commands at a constant rate, independent of the replies, and records each in the ledger. */
export function chaosLoad(
  caller: DurableCaller,
  ledger: Ledger,
  { commands, perSecond }: Readonly<Record<'commands' | 'perSecond', number>>,
) {
  const sendNext = (): void => {
    const number = ledger.size + 1;
    // The player has the same id.
    const id = `c-${number}`;
    const isReport = number % REPORT_EVERY === 0;
    const type = isReport ? 'report.rake.fetch' : 'session.create';
    ledger.sent(id, type);
    void caller.publish(type, id, isReport ? PERIOD : { userId: id }).then(() => ledger.delivered(id));
  };
  return {
    /**
     * The number of sent commands, as a share of the planned ones; above 1 while a fault prolongs the run.
     */
    get share(): number {
      return ledger.size / commands;
    },

    /** Resolves when all commands are sent and `isOver` returns true. */
    send: (isOver: () => boolean): Promise<void> =>
      atRate(
        perSecond,
        () => ledger.size >= commands && isOver(),
        () => ledger.size - ledger.answered < MAX_OPEN && sendNext(),
      ),

    /** Waits until no reply has arrived for a while. */
    async settle(): Promise<void> {
      let answered = -1;
      for (let quietSinceMs = performance.now(); ledger.answered < ledger.size;) {
        if (ledger.answered !== answered) quietSinceMs = performance.now();
        if (performance.now() - quietSinceMs > PATIENCE_MS) return;
        ({ answered } = ledger);
        await sleep(50);
      }
    },
  };
}
