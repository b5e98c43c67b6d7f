import { randomUUID } from 'node:crypto';

import type { BusCaller } from '../support/bus-caller.ts';
import { atRate } from '../support/interactive-load.ts';

const RAKE = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00' };
/** So long that games wait until their compartment is stuck. */
const PATIENT_MS = 600_000;
const HASTY_MS = 700;
const AD_HOC = { ...RAKE, perPage: 20 };

/** Commands at a steady rate, whatever becomes of them. */
export class Load implements Disposable {
  /** How many times as many games. */
  surge = 1;
  readonly #caller: BusCaller;
  #isOver = false;

  constructor(caller: BusCaller) {
    this.#caller = caller;
    this.#send(10, (n) => this.#command('session.create', { userId: `player-${n % 200}` }, n));
    this.#send(7, (n) => {
      for (let game = 0; game < this.surge; game += 1)
        this.#command('game.open', { player: { id: `player-${(n + game) % 200}` } }, n, {}, PATIENT_MS);
    });
    this.#send(0.6, (n) => this.#command('report.ad-hoc.fetch', AD_HOC, n));
    this.#send(0.4, (n) => this.#command('report.rake.fetch', RAKE, n));
    // Its data are wrong: a dead letter.
    this.#send(0.5, () => caller.publish('session.create', { userId: 1 }, addresses()));
    // A slow platform answers it too late.
    this.#send(3, (n) => this.#command('session.create', { userId: 'hasty' }, n, {}, HASTY_MS));
    // Its reply is parked.
    this.#send(0.3, (n) => this.#command('session.create', { userId: 'gone' }, n, { replyTo: 'gone' }));
    // The second is answered with the reply of the first.
    this.#send(0.5, () => {
      const ids = addresses();
      for (let n = 0; n < 2; n += 1) caller.publish('session.create', { userId: 'twice' }, ids);
    });
    // Into the wrong lane.
    this.#send(0.3, () => {
      const { channel, prefix, replyQueue: replyTo } = caller;
      const properties = { ...addresses(), type: 'report.rake.fetch', replyTo };
      channel.sendToQueue(`${prefix}.interactive`, Buffer.from(JSON.stringify(RAKE)), properties);
    });
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
  }

  #send(perSecond: number, send: (n: number) => void): void {
    void atRate(perSecond, () => this.#isOver, send);
  }

  #command(type: string, data: object, n: number, options: object = {}, deadlineMs?: number): void {
    const deadline = deadlineMs === undefined ? {} : { 'x-deadline': Date.now() + deadlineMs };
    const headers = { ...deadline, ...(n % 5 === 0 && { operator: 'acme' }) };
    this.#caller.publish(type, data, { ...addresses(), headers, ...options });
  }
}

function addresses() {
  return { messageId: randomUUID(), correlationId: randomUUID(), timestamp: Math.floor(Date.now() / 1_000) };
}
