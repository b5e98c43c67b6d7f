import { randomUUID } from 'node:crypto';

import type { BusCaller } from '../support/bus-caller.ts';
import { atRate } from '../support/interactive-load.ts';

const RAKE = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00' };
/** Long enough that games wait until their compartment is stuck. */
const PATIENT_MS = 600_000;
const HASTY_MS = 700;
const AD_HOC = { ...RAKE, perPage: 20 };

/** Sends commands at a constant rate, independent of their replies. */
export class Load implements Disposable {
  /** The factor by which the number of games is multiplied. */
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
    // Invalid data: the command is dead-lettered.
    this.#send(0.5, () => caller.publish('session.create', { userId: 1 }, addresses()));
    // A slow platform answers after the deadline.
    this.#send(3, (n) => this.#command('session.create', { userId: 'hasty' }, n, {}, HASTY_MS));
    // Games become slow at once: the first such calls are made, and their answers are late.
    this.#send(2, (n) => this.#command('game.open', { player: { id: 'hasty' } }, n, {}, HASTY_MS));
    // The reply queue does not exist: the reply is parked.
    this.#send(0.3, (n) => this.#command('session.create', { userId: 'gone' }, n, { replyTo: 'gone' }));
    // A repeat: the worker answers with the stored reply.
    this.#send(0.5, () => {
      const ids = addresses();
      for (let n = 0; n < 2; n += 1) caller.publish('session.create', { userId: 'twice' }, ids);
    });
    // Sent to the wrong lane.
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
