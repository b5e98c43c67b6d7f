import { setTimeout as sleep } from 'node:timers/promises';

import { atRate } from '../../../test/support/interactive-load.ts';
import type { DurableCaller } from '../stage/durable-caller.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** One of so many is a report. */
const REPORT_EVERY = 20;
const PERIOD = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00', perPage: 1 };
/** Beyond so many without an answer, no more are sent: the caller is not to be the first that runs out of memory. */
const MAX_OPEN = 2_000;
/** How long nothing may come back before the rest counts as lost. */
const PATIENCE_MS = 75_000;

export type ChaosLoad = ReturnType<typeof chaosLoad>;

/** Sends commands at a steady rate, whatever becomes of them, and writes each into the ledger. */
export function chaosLoad(
  caller: DurableCaller,
  ledger: Ledger,
  { commands, perSecond }: Readonly<Record<'commands' | 'perSecond', number>>,
) {
  const sendNext = (): void => {
    const number = ledger.size + 1;
    // Also the player's.
    const id = `c-${number}`;
    const isReport = number % REPORT_EVERY === 0;
    const type = isReport ? 'report.rake.fetch' : 'session.create';
    ledger.sent(id, type);
    void caller.publish(type, id, isReport ? PERIOD : { userId: id }).then(() => ledger.delivered(id));
  };
  return {
    /** The part of the commands that was sent; above 1 if more are sent because something is still broken. */
    get share(): number {
      return ledger.size / commands;
    },

    /** Settles when all are sent, and `isOver` says that no more are wanted. */
    send: (isOver: () => boolean): Promise<void> =>
      atRate(
        perSecond,
        () => ledger.size >= commands && isOver(),
        () => ledger.size - ledger.answered < MAX_OPEN && sendNext(),
      ),

    /** Waits for the answers, for as long as there are any. */
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
