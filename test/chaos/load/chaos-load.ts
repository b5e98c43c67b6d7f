import { setTimeout as sleep } from 'node:timers/promises';

import { atRate } from '../../support/interactive-load.ts';
import type { DurableCaller } from '../stage/durable-caller.ts';
import type { Ledger } from '../ledger/ledger.ts';

export interface LoadOptions {
  readonly commands: number;
  readonly perSecond: number;
}

/** One of so many is a report. */
const REPORT_EVERY = 20;
const PERIOD = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00', perPage: 1 };
/** Beyond so many without an answer, no more are sent: the caller is not to be the first that runs out of memory. */
const MAX_OPEN = 2_000;
/** How long nothing may come back before the rest counts as lost. */
const PATIENCE_MS = 75_000;

/** Sends commands at a steady rate, whatever becomes of them, and writes each into the ledger. */
export class ChaosLoad {
  readonly #caller: DurableCaller;
  readonly #ledger: Ledger;
  readonly #options: LoadOptions;

  constructor(caller: DurableCaller, ledger: Ledger, options: LoadOptions) {
    this.#caller = caller;
    this.#ledger = ledger;
    this.#options = options;
  }

  /** The part of the commands that was sent; above 1 if more are sent because something is still broken. */
  get share(): number {
    return this.#ledger.size / this.#options.commands;
  }

  /** Settles when all are sent, and `isOver` says that no more are wanted. */
  async send(isOver: () => boolean): Promise<void> {
    const { commands, perSecond } = this.#options;
    const isSent = (): boolean => this.#ledger.size >= commands && isOver();
    await atRate(perSecond, isSent, () => {
      if (this.#ledger.size - this.#ledger.answered < MAX_OPEN) this.#sendOne(this.#ledger.size + 1);
    });
  }

  /** Waits for the answers, for as long as there are any. */
  async settle(): Promise<void> {
    let answered = -1;
    for (let quietSinceMs = performance.now(); this.#ledger.answered < this.#ledger.size;) {
      if (this.#ledger.answered !== answered) quietSinceMs = performance.now();
      if (performance.now() - quietSinceMs > PATIENCE_MS) return;
      ({ answered } = this.#ledger);
      await sleep(50);
    }
  }

  #sendOne(number: number): void {
    // Also the player's.
    const id = `c-${number}`;
    const isReport = number % REPORT_EVERY === 0;
    const type = isReport ? 'report.rake.fetch' : 'session.create';
    this.#ledger.sent(id, type);
    void this.#caller
      .publish(type, id, isReport ? PERIOD : { userId: id })
      .then(() => this.#ledger.delivered(id));
  }
}
