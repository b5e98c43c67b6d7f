import type { Clock } from '#resilience';

import type { QueueState } from '../observer/messaging-observer.ts';

const REMEMBERED_MS = 5_000;
/** Beyond it, the oldest is forgotten, and tried for longer again. */
const MAX_REMEMBERED = 1_000;

/** The reply queue took nothing for as long as a report may hold its place. */
export class ReplyQueueClosed extends Error {
  override readonly name = 'ReplyQueueClosed';
  readonly state: QueueState;

  constructor(state: QueueState) {
    super(`The reply queue is ${state}.`);
    this.state = state;
  }
}

/**
 * The reply queues that have just refused a reply for as long as one is tried. Further replies to them are tried once, and
 * reports for them wait without a call, so that what is in flight does not wait for one caller.
 */
export class RefusingQueues {
  readonly #clock: Clock;
  readonly #refusals = new Map<string, { readonly state: QueueState; readonly untilMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Why a queue refused a reply in the last five seconds; `undefined` if it did not. */
  stateOf(queue: string): QueueState | undefined {
    const refusal = this.#refusals.get(queue);
    return refusal && refusal.untilMs > this.#clock() ? refusal.state : undefined;
  }

  refused(queue: string, state: QueueState): void {
    this.#refusals.delete(queue);
    this.#refusals.set(queue, { state, untilMs: this.#clock() + REMEMBERED_MS });
    const [oldest] = this.#refusals.keys();
    if (this.#refusals.size > MAX_REMEMBERED && oldest !== undefined) this.#refusals.delete(oldest);
  }

  took(queue: string): void {
    if (this.#refusals.size > 0) this.#refusals.delete(queue);
  }
}
