import type { ConfirmChannel } from 'amqplib';

import { abandon } from '../connection/questions.ts';
import { InFlight, type Place } from '../in-flight.ts';
import type { OutgoingMessage, PublishOutcome } from './outgoing-message.ts';

/** One message on its way, over as many channels as it takes. */
export interface PendingPublish {
  readonly message: OutgoingMessage;
  /** Asked before each try. */
  readonly isWanted: () => boolean;
  readonly resolve: (outcome: PublishOutcome) => void;
  readonly reject: (reason: unknown) => void;
  /** How often it was published. */
  tries: number;
  /** When it was last published, in the owner's ticks. */
  sentAt: number;
  /** Settled, though a channel may still answer it. */
  isDone: boolean;
}

export interface ChannelEvents {
  readonly onAnswer: (publish: PendingPublish, answer: PublishOutcome) => void;
  /**
   * The channel has closed, and does not answer these; the reason has the broker's code, unless a connection was lost. May be
   * called again with a message that came too late.
   */
  readonly onClosed: (unanswered: readonly PendingPublish[], reason: Error) => void;
}

/** The two halves of amqplib's own `publish`, which its types do not declare. */
interface RawChannel {
  sendMessage(method: object, properties: object, content: Buffer): boolean;
  pushConfirmCallback(callback: (error: Error | null) => void): void;
}

const PERSISTENT = 2;
/** As long as a connection without a confirm is kept. */
const LATE_MS = 5_000;
/** Matches a return to its publish: message ids repeat over redeliveries, for example. */
const PUBLISH_ID = 'x-publish-id';
const NACKED = 'message nacked';

/** A channel in confirm mode, and what the broker has not answered on it, oldest first. */
export class ConfirmingChannel {
  readonly #channel: ConfirmChannel;
  readonly #events: ChannelEvents;
  readonly #pending = new InFlight<PendingPublish>();
  readonly #returned = new Set<string>();
  #publishes = 0;
  /** Messages without an answer, also those that were given up. */
  #owed = 0;
  #hasAnswered = false;
  #isRetired = false;
  #reason = new Error('the connection was lost');

  constructor(channel: ConfirmChannel, events: ChannelEvents) {
    this.#channel = channel;
    this.#events = events;
    channel.on('return', ({ properties }) => this.#returned.add(String(properties.headers?.[PUBLISH_ID])));
    channel.on('error', (error: Error) => (this.#reason = error));
    channel.on('close', () => {
      events.onClosed(this.#giveUp(Infinity), this.#reason);
    });
  }

  /** How many messages it owes an answer. */
  get size(): number {
    return this.#pending.size;
  }

  /** Whether the broker has answered anything on it: a process that hangs does so from its first publish on. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** @param tick the time now, which `expire` compares with */
  send(publish: PendingPublish, tick: number): void {
    const { message } = publish;
    let publishId = '';
    if (message.mandatory) {
      publishId = String((this.#publishes += 1));
      message.properties.headers[PUBLISH_ID] = publishId;
    }
    publish.tries += 1;
    publish.sentAt = tick;
    const place = this.#pending.add(publish);
    this.#owed += 1;
    try {
      basicPublish(this.#channel, message, (error) => {
        // A channel that closes says so by its own event.
        if (error && error.message !== NACKED) return;
        const wasReturned = message.mandatory && this.#returned.delete(publishId);
        this.#answered(place, error ? 'refused' : wasReturned ? 'returned' : 'confirmed');
      });
    } catch (thrown) {
      this.#pending.leave(place);
      this.#owed -= 1;
      // Closed in this very turn; anything else is a message that cannot be written at all.
      if ((thrown as Error).name === 'IllegalOperationError') this.#events.onClosed([publish], this.#reason);
      else {
        publish.isDone = true;
        publish.reject(thrown);
      }
    }
  }

  /**
   * Gives up what was sent before `tick` as unanswered; a confirm that comes after all still counts.
   *
   * @returns whether there was anything
   */
  expire(tick: number): boolean {
    const late = this.#giveUp(tick);
    for (const publish of late) this.#events.onAnswer(publish, 'unanswered');
    return late.length > 0;
  }

  /**
   * Closes once all is answered, or after five seconds: a channel that closes confirms nothing any more. If its process hangs
   * in the broker, it closes when that resumes; nobody waits for it.
   */
  retire(): void {
    this.#isRetired = true;
    this.#closeIfDone();
    if (this.#owed > 0) setTimeout(() => abandon(this.#channel), LATE_MS).unref();
  }

  #answered(place: Place<PendingPublish>, answer: PublishOutcome): void {
    const { item: publish } = place;
    this.#hasAnswered = true;
    this.#owed -= 1;
    if (this.#pending.leave(place)) this.#events.onAnswer(publish, answer);
    else if (answer === 'confirmed') {
      publish.isDone = true;
      publish.resolve('confirmed');
    }
    this.#closeIfDone();
  }

  #giveUp(tick: number): PendingPublish[] {
    const sent: PendingPublish[] = [];
    for (const place of this.#pending) {
      if (place.item.sentAt >= tick) break;
      this.#pending.leave(place);
      sent.push(place.item);
    }
    return sent;
  }

  #closeIfDone(): void {
    if (!this.#isRetired || this.#owed > 0) return;
    this.#isRetired = false;
    abandon(this.#channel);
  }
}

/**
 * Publishes without what is between the two halves of amqplib's `publish`, which makes the headers of every message the
 * prototype of another object. `channel.publish` would do, and take longer (docs/decisions/0008).
 *
 * @throws Error `IllegalOperationError` if the channel is closed; others if the message cannot be encoded
 */
function basicPublish(
  channel: ConfirmChannel,
  { exchange, routingKey, mandatory, properties, content }: OutgoingMessage,
  callback: (error: Error | null) => void,
): void {
  const raw = channel as unknown as RawChannel;
  raw.sendMessage(
    { exchange, routingKey, mandatory, immediate: false, ticket: 0 },
    {
      contentType: properties.contentType,
      contentEncoding: properties.contentEncoding,
      headers: properties.headers,
      deliveryMode: PERSISTENT,
      priority: properties.priority,
      correlationId: properties.correlationId,
      replyTo: properties.replyTo,
      expiration: properties.expiration,
      messageId: properties.messageId,
      timestamp: properties.timestamp,
      type: properties.type,
      userId: properties.userId,
      appId: properties.appId,
    },
    content,
  );
  raw.pushConfirmCallback(callback);
}
