import { abortable } from '../bus/abortable.ts';
import type { ReplyDelivery } from '../bus/reply-queue.ts';
import { CallerError } from '../errors/caller-error.ts';
import { type BusReply, readReply } from '../replies/reply.ts';

/** A reply of a report, and what lets the broker send the next. */
interface Arrival {
  readonly reply: BusReply;
  readonly acknowledge: () => void;
}

/** The replies to one report in sequence, each once: what a redelivery or a second run repeats is dropped. */
export class PageStream {
  readonly #commandId: string;
  readonly #deliveries: ReplyDelivery[] = [];
  #wake = (): void => undefined;
  #sequence = 0;
  #totalCount: number | undefined;
  #hasChanged = false;
  #readFrom: string | undefined;

  constructor(commandId: string) {
    this.#commandId = commandId;
  }

  /** Whether a repeated page counted other records than the page that was given. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  /** When the first page that was given was read; `undefined` without a page. */
  get readFrom(): string | undefined {
    return this.#readFrom;
  }

  /** Takes a delivery, and settles once it is acknowledged: until then it is in flight. */
  push(delivery: ReplyDelivery): Promise<void> {
    return new Promise((resolve) => {
      const acknowledge = (): void => {
        delivery.acknowledge();
        resolve();
      };
      this.#deliveries.push({ message: delivery.message, acknowledge });
      this.#wake();
    });
  }

  /**
   * The next reply, in sequence.
   *
   * @throws the signal's reason; CallerError `REPLY_LOST` if a page before it is missing, `REPLY_UNREADABLE`
   */
  async next(signal: AbortSignal): Promise<Arrival> {
    for (;;) {
      signal.throwIfAborted();
      const delivery = this.#deliveries.shift();
      if (!delivery) await abortable(new Promise<void>((resolve) => (this.#wake = resolve)), signal);
      else {
        const { message, acknowledge } = delivery;
        const reply = readReply(message);
        if (this.#isNext(reply, acknowledge)) return { reply, acknowledge };
        acknowledge();
      }
    }
  }

  #isNext(reply: BusReply, acknowledge: () => void): boolean {
    if (reply.type !== 'report.page' && reply.type !== 'report.completed') return true;
    this.#totalCount ??= reply.data.totalCount;
    if (reply.data.totalCount !== this.#totalCount) this.#hasChanged = true;
    if (reply.sequence > this.#sequence) {
      acknowledge();
      throw CallerError.of('REPLY_LOST', this.#commandId);
    }
    if (reply.type === 'report.completed') return true;
    if (reply.sequence < this.#sequence) return false;
    this.#sequence += 1;
    this.#readFrom ??= reply.data.readAt;
    return true;
  }
}
