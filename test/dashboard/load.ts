import { randomUUID } from 'node:crypto';

import type { BusCaller } from '../support/bus-caller.ts';

const TICK_MS = 50;
const DAY = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00', perPage: 20 };
const RAKE = { ...DAY, perPage: undefined };

/** What is sent, and how often a second. */
const KINDS: readonly {
  readonly perSecond: number;
  readonly send: (caller: BusCaller, n: number) => void;
}[] = [
  {
    perSecond: 10,
    send: (caller, n) => command(caller, 'session.create', { userId: `player-${n % 200}` }, n),
  },
  {
    perSecond: 7,
    send: (caller, n) => command(caller, 'game.open', { player: { id: `player-${n % 200}` } }, n),
  },
  { perSecond: 0.6, send: (caller, n) => command(caller, 'report.ad-hoc.fetch', DAY, n) },
  { perSecond: 0.4, send: (caller, n) => command(caller, 'report.rake.fetch', RAKE, n) },
  // Its data are wrong: a dead letter.
  { perSecond: 0.5, send: (caller) => caller.publish('session.create', { userId: 1 }, addresses()) },
  // Its reply is parked.
  {
    perSecond: 0.3,
    send: (caller, n) => command(caller, 'session.create', { userId: 'gone' }, n, { replyTo: 'gone' }),
  },
  { perSecond: 0.5, send: twice },
  { perSecond: 0.3, send: intoTheWrongLane },
];

/** Commands at a steady rate, whatever becomes of them. */
export class Load implements Disposable {
  /** How many times as many games. */
  surge = 1;
  readonly #timer: NodeJS.Timeout;
  readonly #due = KINDS.map(() => 0);
  #sent = 0;

  constructor(caller: BusCaller) {
    this.#timer = setInterval(() => this.#tick(caller), TICK_MS);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #tick(caller: BusCaller): void {
    for (const [index, { perSecond, send }] of KINDS.entries()) {
      const rate = index === 1 ? perSecond * this.surge : perSecond;
      let due = (this.#due[index] ?? 0) + (rate * TICK_MS) / 1_000;
      for (; due >= 1; due -= 1) send(caller, (this.#sent += 1));
      this.#due[index] = due;
    }
  }
}

function command(caller: BusCaller, type: string, data: object, n: number, options: object = {}): void {
  const headers = n % 5 === 0 ? { operator: 'acme' } : {};
  caller.publish(type, data, { ...addresses(), headers, ...options });
}

/** The second is answered with the reply of the first. */
function twice(caller: BusCaller): void {
  const ids = addresses();
  for (let n = 0; n < 2; n += 1) caller.publish('session.create', { userId: 'twice' }, ids);
}

function intoTheWrongLane({ channel, prefix, replyQueue }: BusCaller): void {
  channel.sendToQueue(`${prefix}.interactive`, Buffer.from(JSON.stringify(RAKE)), {
    ...addresses(),
    type: 'report.rake.fetch',
    contentType: 'application/json',
    replyTo: replyQueue,
  });
}

function addresses() {
  return { messageId: randomUUID(), correlationId: randomUUID(), timestamp: Math.floor(Date.now() / 1_000) };
}
