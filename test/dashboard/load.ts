import { randomUUID } from 'node:crypto';

import type { BusCaller } from '../support/bus-caller.ts';
import { atRate } from '../support/interactive-load.ts';

const DAY = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00', perPage: 20 };
const RAKE = { ...DAY, perPage: undefined };

/** What is sent, and how often a second. */
const KINDS: readonly {
  readonly perSecond: number;
  readonly send: (caller: BusCaller, n: number) => void;
  readonly isSurging?: boolean;
}[] = [
  {
    perSecond: 10,
    send: (caller, n) => command(caller, 'session.create', { userId: `player-${n % 200}` }, n),
  },
  {
    perSecond: 7,
    isSurging: true,
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
  #isOver = false;

  constructor(caller: BusCaller) {
    let sent = 0;
    for (const { perSecond, send, isSurging } of KINDS) {
      const sendSome = (): void => {
        for (let n = 0; n < (isSurging ? this.surge : 1); n += 1) send(caller, (sent += 1));
      };
      void atRate(perSecond, () => this.#isOver, sendSome);
    }
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
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
