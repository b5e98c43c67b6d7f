import { codeOf, pause } from '../connection/questions.ts';
import type { ChannelEvents, ConfirmingChannel, PendingPublish } from './confirming-channel.ts';
import { type OutgoingMessage, type PublishOutcome, PublishRefusedError } from './outgoing-message.ts';

/** Destinations that are asked at one time; beyond, what the shared channel said is believed. */
const MAX_ASKED = 16;
/** Destinations that are remembered; beyond, the oldest is forgotten. */
const MAX_REMEMBERED = 1_000;
/** 5 s. A queue that refuses is asked twice once in that time; so are listeners, which then get a copy. */
const VERDICT_TICKS = 20;
/** A broker that opens a channel again may have been away as a whole, and answer on the shared channel in a moment. */
const GRACE_MS = 250;
/** Between two looks for a connection. */
const PAUSE_MS = 250;

type Failure = 'refused' | 'unanswered';

/** A destination that the shared channel has failed. */
interface Doubt {
  /** What a channel of its own has met as well, and until which tick that is believed; absent while it is asked. */
  verdict?: Failure;
  until: number;
  /** What is published there while it is asked. */
  readonly waiting: PendingPublish[];
}

export interface IsolatedPublisherOptions {
  /** @throws Error if there is no connection */
  readonly openChannel: (events: ChannelEvents) => Promise<ConfirmingChannel>;
  /** Publishes as all others are. */
  readonly send: (publish: PendingPublish) => void;
  /** The time in ticks. */
  readonly now: () => number;
  /** Called when the broker refuses a message for good. True has it published again. */
  readonly onRefused: ((refusal: PublishRefusedError) => Promise<boolean>) | undefined;
}

/**
 * Publishes once more, on a channel that carries nothing else, what the channel that all messages share has failed:
 *
 * - One message that a queue refuses or does not answer. A channel registers with a quorum queue at its first publish to it;
 *   without a leader, its process hangs there for up to 65 s, with everything that it is given afterwards, and may refuse then
 *   what the queue would take. What follows for the same destination waits for the answer.
 * - What was unanswered on a channel that the broker has closed, which does not say for which message: one after the other. The
 *   one that closes its channel again is refused, by itself.
 */
export class IsolatedPublisher {
  readonly #options: IsolatedPublisherOptions;
  readonly #doubts = new Map<string, Doubt>();
  /** Messages of channels that the broker has closed. */
  readonly #unanswered: PendingPublish[] = [];
  /** By exchange, what waits until `onRefused` has decided. */
  readonly #held = new Map<string, PendingPublish[]>();

  constructor(options: IsolatedPublisherOptions) {
    this.#options = options;
  }

  /** Whether the broker owes an answer. */
  get isOwed(): boolean {
    return this.#asked > 0 || this.#unanswered.length > 0;
  }

  /** Whether a message is handled here: its destination is in doubt, or its exchange has just refused another one. */
  takes(publish: PendingPublish): boolean {
    const held = this.#held.get(publish.message.exchange);
    if (held) return held.push(publish) > 0;
    if (this.#doubts.size === 0) return false;
    const doubt = this.#doubts.get(destinationOf(publish.message));
    if (!doubt || doubt.verdict === 'refused') return false;
    // Not over the shared channel: its process may hang on it.
    this.ask(publish, 'unanswered');
    return true;
  }

  /** Publishes once more what failed; the failure is believed if that is known, or too many destinations are asked. */
  ask(publish: PendingPublish, failure: Failure): void {
    const doubt = this.#doubts.get(destinationOf(publish.message));
    if (doubt && !doubt.verdict) doubt.waiting.push(publish);
    else if (doubt?.verdict === failure && doubt.until > this.#options.now()) publish.resolve(failure);
    else if (this.#asked >= MAX_ASKED) publish.resolve(failure);
    else void this.#ask(publish, failure).then((isAsked) => isAsked || this.#options.send(publish));
  }

  /** Publishes each of these once more, one after the other: the broker has closed their channel for one of them. */
  async askEach(unanswered: readonly PendingPublish[]): Promise<void> {
    const waiting = this.#unanswered;
    // If others are being asked, these follow.
    if (waiting.push(...unanswered) > unanswered.length) return;
    for (let next = waiting[0]; next; next = waiting[0]) {
      if (this.takes(next) || (await this.#ask(next))) waiting.shift();
      // Until there is a connection again; the timer keeps no process alive.
      else await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
    }
  }

  /** Forgets what the connection before has met. */
  forget(): void {
    for (const [destination, { verdict }] of this.#doubts) if (verdict) this.#doubts.delete(destination);
  }

  /** Gives back all that waits for a connection or a permission. */
  clear(): readonly PendingPublish[] {
    return [this.#unanswered, ...this.#held.values()].flatMap((waiting) => waiting.splice(0));
  }

  get #asked(): number {
    return [...this.#doubts.values()].filter(({ verdict }) => !verdict).length;
  }

  /** @returns whether there was a connection */
  async #ask(publish: PendingPublish, failure?: Failure): Promise<boolean> {
    const { send, now } = this.#options;
    if (publish.isDone || !publish.isWanted()) {
      send(publish);
      return true;
    }
    const doubt: Doubt = { until: 0, waiting: [] };
    this.#remember(publish, doubt);
    const answer = await this.#publishAlone(publish, failure === 'unanswered' && publish.tries > 0);
    if (answer === 'refused' || answer === 'unanswered') {
      doubt.verdict = answer;
      doubt.until = now() + VERDICT_TICKS;
    } else this.#doubts.delete(destinationOf(publish.message));
    if (answer) void this.#settle(publish, answer);
    for (const waiting of doubt.waiting.splice(0)) send(waiting);
    return answer !== undefined;
  }

  #remember({ message }: PendingPublish, doubt: Doubt): void {
    this.#doubts.delete(destinationOf(message));
    this.#doubts.set(destinationOf(message), doubt);
    const [oldest] = this.#doubts.keys();
    if (this.#doubts.size > MAX_REMEMBERED && oldest !== undefined) this.#doubts.delete(oldest);
  }

  /**
   * @param isOwed whether the shared channel owes its answer
   * @returns what became of it: the broker's answer, or why the channel has closed; undefined without a connection
   */
  async #publishAlone(publish: PendingPublish, isOwed: boolean): Promise<PublishOutcome | Error | undefined> {
    const { now, openChannel } = this.#options;
    let answered = (_answer: PublishOutcome | Error): void => undefined;
    const answer = new Promise<PublishOutcome | Error>((resolve) => (answered = resolve));
    const opening = openChannel({
      onAnswer: (_, outcome) => answered(outcome),
      onClosed: (_, reason) => answered(reason),
    });
    const channel = await opening.catch(() => undefined);
    if (!channel) return undefined;
    if (isOwed) await pause(GRACE_MS);
    if (!publish.isDone) channel.send(publish, now());
    const outcome = publish.isDone ? 'confirmed' : await answer;
    channel.retire();
    return outcome;
  }

  async #settle(publish: PendingPublish, answer: PublishOutcome | Error): Promise<void> {
    const { onRefused, send } = this.#options;
    if (typeof answer === 'string') return publish.resolve(answer);
    const code = codeOf(answer);
    if (code === undefined) return send(publish);
    const { exchange } = publish.message;
    const refusal = new PublishRefusedError(code, exchange, answer.message);
    const held: PendingPublish[] = [];
    this.#held.set(exchange, held);
    const isRepaired = await onRefused?.(refusal).catch(() => false);
    this.#held.delete(exchange);
    if (isRepaired) send(publish);
    else publish.reject(refusal);
    for (const waiting of held.splice(0)) send(waiting);
  }
}

/** A queue, if it is published to by its name, else the exchange. */
function destinationOf({ exchange, routingKey }: OutgoingMessage): string {
  return exchange === '' ? `queue ${routingKey}` : `exchange ${exchange}`;
}
