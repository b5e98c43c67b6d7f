import type { Answer, ConfirmingChannel, PendingPublish } from './confirming-channel.ts';
import type { OutgoingMessage } from './outgoing-message.ts';

/** Destinations with a channel of their own at one time. */
const MAX_CHANNELS = 16;
/** Destinations that are remembered; beyond, the oldest is forgotten. */
const MAX_REMEMBERED = 1_000;
/** 5 s. A queue that refuses is refused by both channels once in that time; so are listeners, which then get a copy. */
const DOUBT_TICKS = 20;
/** A broker that takes so long to open a channel was away as a whole, and may answer on the first channel in a moment. */
const SLOW_TICKS = 2;

type Doubt =
  /** What is published there goes over a channel of its own; `waiting` until that is open, and has been for a while. */
  | {
      readonly kind: 'apart';
      readonly askedAt: number;
      channel?: ConfirmingChannel;
      openedAt?: number;
      readonly waiting: PendingPublish[];
      readonly until: number;
    }
  /** That channel was not answered either. */
  | { readonly kind: 'unreachable'; readonly until: number };

type Apart = Extract<Doubt, { kind: 'apart' }>;

export interface DoubtsOptions {
  /** @throws Error if the connection has gone */
  readonly openChannel: (
    onAnswer: (publish: PendingPublish, answer: Answer) => void,
  ) => Promise<ConfirmingChannel>;
  /** The time in ticks. */
  readonly now: () => number;
  /** How long a channel may take to answer, in ticks. */
  readonly answerTicks: number;
  /** Called for what could not be sent, since the connection has gone. */
  readonly onLost: (publish: PendingPublish) => void;
}

/**
 * Destinations that the channel which all others use has failed. A channel registers with a quorum queue at its first
 * publish to it; without a leader, its process hangs there for up to 65 s, with everything that it is given afterwards, and
 * may refuse then what the queue would take. So what such a queue refuses, or does not answer, is published once more on a
 * channel of its own before that is believed, and whatever follows for the same destination goes there for a while.
 */
export class Doubts {
  readonly #options: DoubtsOptions;
  readonly #doubts = new Map<string, Doubt>();

  constructor(options: DoubtsOptions) {
    this.#options = options;
  }

  /** Whether an answer is owed over a channel of its own. */
  get isOwed(): boolean {
    return this.#apart().some(([, { channel, waiting }]) => waiting.length > 0 || (channel?.size ?? 0) > 0);
  }

  /** Whether a message is handled here, because its destination is in doubt. */
  takes(publish: PendingPublish): boolean {
    if (this.#doubts.size === 0) return false;
    const destination = destinationOf(publish.message);
    const doubt = this.#doubts.get(destination);
    const isOver = doubt !== undefined && doubt.until <= this.#options.now();
    if (!doubt || (isOver && doubt.kind === 'apart')) return false;
    if (doubt.kind === 'apart') this.#forward(doubt, publish);
    // Not by the channel that all others use: its process may hang on it.
    else if (isOver) this.#askApart(publish, 'unanswered');
    else publish.resolve('unanswered');
    return true;
  }

  /**
   * Publishes once more what a channel has refused or not answered.
   *
   * @param failure believed if too many destinations are in doubt
   */
  ask(publish: PendingPublish, failure: 'refused' | 'unanswered'): void {
    if (!this.takes(publish)) this.#askApart(publish, failure);
  }

  #askApart(publish: PendingPublish, failure: 'refused' | 'unanswered'): void {
    if (this.#apart().length >= MAX_CHANNELS) {
      publish.resolve(failure);
      return;
    }
    const askedAt = this.#options.now();
    const doubt: Apart = { kind: 'apart', askedAt, waiting: [publish], until: askedAt + DOUBT_TICKS };
    this.#remember(destinationOf(publish.message), doubt);
    void this.#open(doubt);
  }

  /** A destination does not answer a message that was published alone. */
  unreachable(publish: PendingPublish): void {
    const until = this.#options.now() + DOUBT_TICKS;
    this.#remember(destinationOf(publish.message), { kind: 'unreachable', until });
    publish.resolve('unanswered');
  }

  /** Ends what has not been answered in time, and forgets what is in doubt no more. */
  tick(): void {
    const { now, answerTicks } = this.#options;
    for (const [destination, doubt] of this.#apart()) {
      const { channel, openedAt } = doubt;
      if (openedAt !== undefined && openedAt < now() - 1) this.#sendWaiting(doubt);
      const overdue = channel?.takeSentBefore(now() - answerTicks) ?? [];
      if (overdue.length > 0) {
        const behind = channel?.takeSentBefore(Number.POSITIVE_INFINITY) ?? [];
        this.#remember(destination, { kind: 'unreachable', until: now() + DOUBT_TICKS });
        for (const publish of [...overdue, ...behind]) publish.resolve('unanswered');
      } else if (doubt.until > now() || doubt.waiting.length > 0) continue;
      else this.#doubts.delete(destination);
      channel?.retire();
    }
  }

  /** Begins again with a new connection; what waited for the one before is given back. */
  clear(): void {
    const apart = this.#apart();
    this.#doubts.clear();
    for (const [, { waiting }] of apart)
      for (const publish of waiting.splice(0)) this.#options.onLost(publish);
  }

  async #open(doubt: Apart): Promise<void> {
    const { openChannel, now, onLost } = this.#options;
    try {
      doubt.channel = await openChannel((publish, answer) => publish.resolve(answer));
      doubt.openedAt = now();
      if (doubt.openedAt - doubt.askedAt < SLOW_TICKS) this.#sendWaiting(doubt);
    } catch {
      for (const publish of doubt.waiting.splice(0)) onLost(publish);
    }
  }

  #sendWaiting({ channel, waiting }: Apart): void {
    for (const publish of waiting.splice(0)) if (!publish.isDone) channel?.send(publish, this.#options.now());
  }

  #forward({ channel, waiting }: Apart, publish: PendingPublish): void {
    if (channel && waiting.length === 0) channel.send(publish, this.#options.now());
    else waiting.push(publish);
  }

  #apart(): [string, Apart][] {
    return [...this.#doubts].filter((entry): entry is [string, Apart] => entry[1].kind === 'apart');
  }

  #remember(destination: string, doubt: Doubt): void {
    this.#doubts.delete(destination);
    this.#doubts.set(destination, doubt);
    if (this.#doubts.size <= MAX_REMEMBERED) return;
    const oldest = [...this.#doubts].find(([, { kind }]) => kind === 'unreachable');
    if (oldest) this.#doubts.delete(oldest[0]);
  }
}

/** A queue, if it is published to by its name, else the exchange. */
function destinationOf({ exchange, routingKey }: OutgoingMessage): string {
  return exchange === '' ? `queue ${routingKey}` : `exchange ${exchange}`;
}
