import type { ConfirmingChannel, PendingPublish } from './confirming-channel.ts';
import type { OutgoingMessage } from './outgoing-message.ts';

/** Destinations that are asked about at once, each on a channel of its own. */
const MAX_ASKED = 16;
/** Destinations that are remembered; beyond, the oldest verdict goes. */
const MAX_REMEMBERED = 1_000;

export interface SecondOpinionsOptions {
  /** @throws Error if the connection has gone */
  readonly openChannel: () => Promise<ConfirmingChannel>;
  /** The time in ticks. */
  readonly now: () => number;
  /** How long the second channel may take to answer, in ticks. */
  readonly answerTicks: number;
  /** How long a verdict stands, in ticks: on a queue that refused, on an exchange that refused, on one that never answered. */
  readonly verdictTicks: Readonly<Record<'queue' | 'exchange' | 'unanswered', number>>;
  /** The channel reached what the one in use did not. */
  readonly onProven: (channel: ConfirmingChannel) => void;
  /** Its channel could not be opened. */
  readonly onLost: (publish: PendingPublish) => void;
}

interface Asking {
  readonly kind: 'asking';
  /** Whether another channel may answer yet. */
  readonly isOverdue: boolean;
  readonly askedAt: number;
  channel?: ConfirmingChannel;
  openedAt?: number;
  /** What waits for the channel to open. */
  readonly waiting: PendingPublish[];
}

interface Verdict {
  readonly kind: 'refused' | 'unanswered';
  readonly until: number;
}

/**
 * The destinations that the channel in use has failed, each asked about on a fresh channel before that is believed.
 *
 * A channel registers with a quorum queue at its first publish to it. If the queue has no leader then, its process hangs
 * there for up to 65 s, with everything that it was given afterwards, and may never be told of the next leader. On
 * RabbitMQ 3.10, what it publishes to that queue is then refused until the dead node is back, while the queue is
 * well: see release-3.10/README.md.
 */
export class SecondOpinions {
  readonly #options: SecondOpinionsOptions;
  readonly #opinions = new Map<string, Asking | Verdict>();

  constructor(options: SecondOpinionsOptions) {
    this.#options = options;
  }

  get isAsking(): boolean {
    return this.#asking().length > 0;
  }

  /** Whether a message is handled here, because its destination is in doubt. */
  takes(publish: PendingPublish): boolean {
    if (this.#opinions.size === 0) return false;
    const doubt = this.#opinions.get(destinationOf(publish.message));
    if (doubt?.kind === 'asking') this.#forward(doubt, publish);
    else if (doubt?.kind !== 'unanswered') return false;
    else if (this.#stands(doubt)) publish.resolve('unanswered');
    // Not by the channel that all others use: its process may hang on it.
    else return this.ask(publish, false);
    return true;
  }

  /** What a channel refused: asked about again, unless another channel has just said the same. */
  refused(publish: PendingPublish, channel: ConfirmingChannel): void {
    const destination = destinationOf(publish.message);
    const doubt = this.#opinions.get(destination);
    if (doubt?.kind === 'asking' && doubt.channel === channel) {
      const { queue, exchange } = this.#options.verdictTicks;
      this.#conclude(destination, doubt, 'refused', publish.message.exchange === '' ? queue : exchange);
    } else if (!(doubt?.kind === 'refused' && this.#stands(doubt)) && this.ask(publish, false)) return;
    publish.resolve('refused');
  }

  /**
   * Asks about the destination of a message.
   *
   * @param isOverdue whether another channel may answer yet
   * @returns false if too many are asked about already
   */
  ask(publish: PendingPublish, isOverdue: boolean): boolean {
    const destination = destinationOf(publish.message);
    const doubt = this.#opinions.get(destination);
    if (doubt?.kind === 'asking') {
      this.#forward(doubt, publish);
      return true;
    }
    const asked = this.#asking();
    if (asked.length >= MAX_ASKED) return false;
    const asking: Asking = {
      kind: 'asking',
      isOverdue,
      askedAt: this.#options.now(),
      waiting: [publish],
    };
    this.#remember(destination, asking);
    void this.#open(destination, asking);
    return true;
  }

  /** A destination took a message, or is known to be gone. */
  reached(message: OutgoingMessage, channel: ConfirmingChannel): void {
    if (this.#opinions.size === 0) return;
    const destination = destinationOf(message);
    const doubt = this.#opinions.get(destination);
    // A late answer of the channel in doubt says nothing about the next one.
    if (!doubt || (doubt.kind === 'asking' && doubt.channel !== channel)) return;
    this.#opinions.delete(destination);
    if (doubt.kind === 'asking') this.#options.onProven(channel);
  }

  /** Ends what has not been answered in time. */
  tick(): void {
    const { now, answerTicks, verdictTicks } = this.#options;
    for (const [destination, doubt] of this.#asking()) {
      if ((doubt.openedAt ?? now()) < now() - 1) this.#sendWaiting(destination, doubt);
      const overdue = doubt.channel?.takeSentBefore(now() - answerTicks) ?? [];
      if (overdue.length === 0) continue;
      const behind = doubt.channel?.takeSentBefore(Number.POSITIVE_INFINITY) ?? [];
      this.#conclude(destination, doubt, 'unanswered', verdictTicks.unanswered);
      for (const publish of [...overdue, ...behind]) publish.resolve('unanswered');
    }
  }

  /** A channel has closed; what it was asked is lost. */
  closed(channel: ConfirmingChannel): void {
    for (const [destination, { channel: asked, waiting }] of this.#asking()) {
      if (asked !== channel) continue;
      this.#opinions.delete(destination);
      for (const publish of waiting.splice(0)) this.#options.onLost(publish);
    }
  }

  /** Begins again with a new connection, whose channels have failed nobody. */
  clear(): void {
    for (const [destination, { kind }] of this.#opinions) {
      if (kind !== 'asking') this.#opinions.delete(destination);
    }
  }

  #asking(): [string, Asking][] {
    return [...this.#opinions].filter((entry): entry is [string, Asking] => entry[1].kind === 'asking');
  }

  #stands({ until }: Verdict): boolean {
    return this.#options.now() < until;
  }

  async #open(destination: string, asking: Asking): Promise<void> {
    const { openChannel, onLost } = this.#options;
    try {
      asking.channel = await openChannel();
      const openedAt = this.#options.now();
      asking.openedAt = openedAt;
      // A broker that was slow to open it was away as a whole, and may answer on the first channel in a moment.
      if (!asking.isOverdue || openedAt - asking.askedAt < 2) this.#sendWaiting(destination, asking);
    } catch {
      if (this.#opinions.get(destination) === asking) this.#opinions.delete(destination);
      for (const publish of asking.waiting.splice(0)) onLost(publish);
    }
  }

  #sendWaiting(destination: string, { channel, waiting }: Asking): void {
    if (!channel || waiting.length === 0) return;
    for (const publish of waiting.splice(0)) {
      if (!publish.isConfirmedLate) channel.send(publish, this.#options.now());
    }
    if (channel.size > 0) return;
    this.#opinions.delete(destination);
    channel.retire();
  }

  #forward({ channel, waiting }: Asking, publish: PendingPublish): void {
    if (channel && waiting.length === 0) channel.send(publish, this.#options.now());
    else waiting.push(publish);
  }

  #conclude(destination: string, { channel }: Asking, kind: Verdict['kind'], ticks: number): void {
    this.#remember(destination, { kind, until: this.#options.now() + ticks });
    channel?.retire();
  }

  #remember(destination: string, doubt: Asking | Verdict): void {
    this.#opinions.delete(destination);
    this.#opinions.set(destination, doubt);
    if (this.#opinions.size <= MAX_REMEMBERED) return;
    const oldest = [...this.#opinions].find(([, { kind }]) => kind !== 'asking');
    if (oldest) this.#opinions.delete(oldest[0]);
  }
}

function destinationOf({ exchange, routingKey }: OutgoingMessage): string {
  return exchange === '' ? routingKey : exchange;
}
