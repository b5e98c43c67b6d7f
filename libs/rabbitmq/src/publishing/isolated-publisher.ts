import { codeOf } from '../channel/refusal.ts';
import { pause } from '../channel/time-limit.ts';
import { setBounded } from '../collections/set-bounded.ts';
import type { ConfirmingChannel, OnAnswer, PendingPublish } from './confirming-channel.ts';
import { type OutgoingMessage, type PublishOutcome, PublishRefusedError } from '../outgoing-message.ts';

/** Destinations that are asked at one time; beyond, what the shared channel said is believed. */
const MAX_ASKED = 16;
/** Destinations that are remembered; beyond, the oldest is forgotten. */
const MAX_REMEMBERED = 1_000;
/** A queue that refuses is asked twice once in that time; so are listeners, which then get a copy. */
const BELIEVED_MS = 5_000;
/** A broker that opens a channel again may have been away as a whole, and answer on the shared channel in a moment. */
const GRACE_MS = 250;
/** Before a message is sent again for which no channel could be opened. */
const PAUSE_MS = 250;

type Failure = 'refused' | 'unanswered';

export interface IsolatedPublisherOptions {
  /** @throws Error if there is no connection, or the publisher is closed */
  readonly openChannel: (onAnswer: OnAnswer) => Promise<ConfirmingChannel>;
  /** Publishes as all others are. */
  readonly send: (publish: PendingPublish) => void;
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
  /** What waits for each destination that is asked. */
  readonly #asked = new Map<string, PendingPublish[]>();
  /** What a channel of its own has met as well, by destination, and until when that is believed. */
  readonly #verdicts = new Map<string, { readonly failure: Failure; readonly untilMs: number }>();
  /** What waits for each exchange until `onRefused` has decided. */
  readonly #held = new Map<string, PendingPublish[]>();
  /** Settles once all that are in doubt have been asked. */
  #oneByOne = Promise.resolve();

  constructor(options: IsolatedPublisherOptions) {
    this.#options = options;
  }

  /** Whether the broker owes an answer. */
  get isOwed(): boolean {
    return this.#asked.size > 0;
  }

  /** Whether a message is handled here: it or its destination is in doubt, or its exchange has just refused another one. */
  takes(publish: PendingPublish): boolean {
    if (this.#waits(publish)) return true;
    if (publish.isInDoubt) this.#oneByOne = this.#oneByOne.then(() => this.#ask(publish));
    // Not over the shared channel: its process may hang on it.
    else if (this.#verdictOn(publish)?.failure === 'unanswered') this.ask(publish, 'unanswered');
    else return false;
    return true;
  }

  /** Publishes once more what failed; the failure is believed if that is known, or too many destinations are asked. */
  ask(publish: PendingPublish, failure: Failure): void {
    if (this.#waits(publish)) return;
    const verdict = this.#verdictOn(publish);
    const isKnown = verdict?.failure === failure && verdict.untilMs > performance.now();
    if (isKnown || this.#asked.size >= MAX_ASKED) publish.resolve(failure);
    // The shared channel may still answer what it has hung on.
    else void this.#ask(publish, failure === 'unanswered' && publish.tries > 0 ? GRACE_MS : 0);
  }

  /** Forgets what the connection before has met. */
  forget(): void {
    this.#verdicts.clear();
  }

  /** Whether a message waits from now on: its destination is asked about, or its exchange held. */
  #waits(publish: PendingPublish): boolean {
    if (this.#held.size + this.#asked.size === 0) return false;
    const { message } = publish;
    const waiting = this.#held.get(message.exchange) ?? this.#asked.get(destinationOf(message));
    waiting?.push(publish);
    return waiting !== undefined;
  }

  #verdictOn({ message }: PendingPublish) {
    return this.#verdicts.size > 0 ? this.#verdicts.get(destinationOf(message)) : undefined;
  }

  async #ask(publish: PendingPublish, graceMs = 0): Promise<void> {
    const { send } = this.#options;
    if (publish.isDone || !publish.isWanted()) return send(publish);
    if (this.#waits(publish)) return;
    const destination = destinationOf(publish.message);
    const waiting: PendingPublish[] = [];
    this.#asked.set(destination, waiting);
    const answer = await this.publishAlone(publish, graceMs);
    this.#asked.delete(destination);
    this.#verdicts.delete(destination);
    if (answer === 'refused' || answer === 'unanswered') this.#remember(destination, answer);
    if (typeof answer === 'string') publish.resolve(answer);
    else if (!answer) setTimeout(send, PAUSE_MS, publish).unref();
    else void this.#closedFor(publish, answer);
    for (const each of waiting) send(each);
  }

  /** Publishes once, on a channel of its own. @returns undefined if no channel could be opened */
  async publishAlone(publish: PendingPublish, graceMs = 0): Promise<PublishOutcome | Error | undefined> {
    let answered = (_answer: PublishOutcome | Error): void => undefined;
    const answer = new Promise<PublishOutcome | Error>((resolve) => (answered = resolve));
    const opening = this.#options.openChannel((_, outcome) => answered(outcome));
    const channel = await opening.catch(() => undefined);
    if (!channel) return undefined;
    if (graceMs > 0) await pause(graceMs);
    if (publish.isDone) answered('confirmed');
    else channel.send(publish);
    await answer;
    channel.retire();
    return answer;
  }

  async #closedFor(publish: PendingPublish, reason: Error): Promise<void> {
    const { onRefused, send } = this.#options;
    const code = codeOf(reason);
    if (code === undefined) return send(publish);
    const { exchange } = publish.message;
    const refusal = new PublishRefusedError(code, exchange, reason.message);
    const held: PendingPublish[] = [];
    this.#held.set(exchange, held);
    publish.isInDoubt = !(await onRefused?.(refusal).catch(() => false));
    this.#held.delete(exchange);
    if (publish.isInDoubt) publish.reject(refusal);
    else send(publish);
    for (const each of held) send(each);
  }

  #remember(destination: string, failure: Failure): void {
    const verdict = { failure, untilMs: performance.now() + BELIEVED_MS };
    setBounded(this.#verdicts, destination, verdict, MAX_REMEMBERED);
  }
}

/** A queue, if it is published to by its name, else the exchange. */
function destinationOf({ exchange, routingKey }: OutgoingMessage): string {
  return exchange === '' ? `queue ${routingKey}` : `exchange ${exchange}`;
}
