import { codeOf } from '../channel/refusal.ts';
import { pause } from '../channel/time-limit.ts';
import { setBounded } from '../collections/set-bounded.ts';
import type { ConfirmingChannel, OnAnswer, PendingPublish } from './confirming-channel.ts';
import { type OutgoingMessage, type PublishOutcome, PublishRefusedError } from '../outgoing-message.ts';

/** The most destinations probed at one time. Beyond that, the answer of the shared channel is final. */
const MAX_ASKED = 16;
/** The most destinations remembered. Beyond that, the oldest is forgotten. */
const MAX_REMEMBERED = 1_000;
/**
 * How long a confirmed failure is remembered. Within that time, a failing destination is not probed again.
 */
const BELIEVED_MS = 5_000;
/** If the whole broker was unreachable, the shared channel may answer shortly after a new channel opens. */
const GRACE_MS = 250;
/** The pause before a message is republished if no channel could be opened for it. */
const PAUSE_MS = 250;

type Failure = 'refused' | 'unanswered';

export interface IsolatedPublisherOptions {
  /** @throws Error if there is no connection, or the publisher is closed */
  readonly openChannel: (onAnswer: OnAnswer) => Promise<ConfirmingChannel>;
  /** Publishes on the shared channel. */
  readonly send: (publish: PendingPublish) => void;
  readonly onRefused: ((refusal: PublishRefusedError) => Promise<boolean>) | undefined;
}

/**
 * Republishes messages that failed on the shared channel, each on a channel of its own:
 *
 * - A message that a queue refused or did not answer. A channel registers with a quorum queue at its first
 *   publish to it. If the queue has no leader, the channel's process hangs for up to 65 s with all later
 *   messages, and may then refuse messages that the queue would accept. Later messages for the same
 *   destination wait for the answer.
 * - Messages that were unanswered on a channel that the broker closed. The broker does not say which message
 *   caused the close, so they are republished one at a time. Only the message that closes its channel again
 *   is refused.
 */
export class IsolatedPublisher {
  readonly #options: IsolatedPublisherOptions;
  /** Messages waiting for each destination that is being probed. */
  readonly #asked = new Map<string, PendingPublish[]>();
  /**
   * Failures confirmed on a separate channel, by destination, with the time until which they are remembered.
   */
  readonly #verdicts = new Map<string, { readonly failure: Failure; readonly untilMs: number }>();
  /** Messages waiting for each exchange until `onRefused` has decided. */
  readonly #held = new Map<string, PendingPublish[]>();
  /** Settles when all messages in doubt have been republished. */
  #oneByOne = Promise.resolve();

  constructor(options: IsolatedPublisherOptions) {
    this.#options = options;
  }

  /** True if the broker owes an answer. */
  get isOwed(): boolean {
    return this.#asked.size > 0;
  }

  /**
   * Takes over a message if it or its destination is in doubt, or if its exchange is held.
   *
   * @returns false if it does not
   */
  takes(publish: PendingPublish): boolean {
    if (this.#waits(publish)) return true;
    if (publish.isInDoubt) this.#oneByOne = this.#oneByOne.then(() => this.#ask(publish));
    // The process of the shared channel might hang on this destination.
    else if (this.#verdicts.get(destinationOf(publish.message))?.failure === 'unanswered')
      this.ask(publish, 'unanswered');
    else return false;
    return true;
  }

  /**
   * Republishes a failed message, unless its destination is known to fail or too many destinations are being
   * probed.
   */
  ask(publish: PendingPublish, failure: Failure): void {
    if (this.#waits(publish)) return;
    const verdict = this.#verdicts.get(destinationOf(publish.message));
    const isKnown = verdict?.failure === failure && verdict.untilMs > performance.now();
    if (isKnown || this.#asked.size >= MAX_ASKED) publish.resolve(failure);
    // The shared channel may still answer late.
    else void this.#ask(publish, failure === 'unanswered' && publish.tries > 0 ? GRACE_MS : 0);
  }

  /** Forgets the failures met on the previous connection. */
  forget(): void {
    this.#verdicts.clear();
  }

  /**
   * Queues a message if its destination is being probed or its exchange is held.
   *
   * @returns true if it waits
   */
  #waits(publish: PendingPublish): boolean {
    const { message } = publish;
    const waiting = this.#held.get(message.exchange) ?? this.#asked.get(destinationOf(message));
    waiting?.push(publish);
    return waiting !== undefined;
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

  /** Publishes once on a separate channel. @returns undefined if no channel could be opened */
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

/** Returns the queue of a message to the default exchange, otherwise the exchange. */
function destinationOf({ exchange, routingKey }: OutgoingMessage): string {
  return exchange === '' ? `queue ${routingKey}` : `exchange ${exchange}`;
}
