import type { ParkingReason } from '../observer/messaging-observer.ts';

export type RefusalReason = Extract<ParkingReason, 'REPLY_QUEUE_FULL' | 'REPLY_QUEUE_UNREACHABLE'>;

const REMEMBERED_MS = 5_000;
/** Beyond it, the oldest is forgotten, and tried for longer again. */
const MAX_REMEMBERED = 1_000;

/**
 * The reply queues that have just refused a reply for as long as one is tried. Each further reply to them is tried once,
 * and parked if it is refused, so that what is in flight does not wait for one caller.
 */
export class RefusingQueues {
  readonly #nowMs: () => number;
  readonly #refusals = new Map<string, { readonly reason: RefusalReason; readonly untilMs: number }>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Why a queue refused a reply in the last five seconds; `undefined` if it did not. */
  reasonOf(queue: string): RefusalReason | undefined {
    const refusal = this.#refusals.get(queue);
    return refusal && refusal.untilMs > this.#nowMs() ? refusal.reason : undefined;
  }

  refused(queue: string, reason: RefusalReason): void {
    this.#refusals.delete(queue);
    this.#refusals.set(queue, { reason, untilMs: this.#nowMs() + REMEMBERED_MS });
    const [oldest] = this.#refusals.keys();
    if (this.#refusals.size > MAX_REMEMBERED && oldest !== undefined) this.#refusals.delete(oldest);
  }
}
