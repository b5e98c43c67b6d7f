import type { ChannelModel } from 'amqplib';

import { within } from '../connection/within.ts';
import { type Answer, type Closure, ConfirmingChannel, type PendingPublish } from './confirming-channel.ts';
import type { Doubts } from './doubts.ts';
import type { Publish } from './outgoing-message.ts';
import { PublishRefusedError } from './publish-errors.ts';

const OPEN_TIMEOUT_MS = 2_000;
const ANSWER_TIMEOUT_MS = 2_000;

export interface IsolatedPublisherOptions {
  readonly how: Publish;
  readonly doubts: Doubts;
  /** What is to be published as all others are. */
  readonly send: (publish: PendingPublish) => void;
  /** Called when the broker refuses a message for good. True has it published again. */
  readonly onRefused: ((refusal: PublishRefusedError) => Promise<boolean>) | undefined;
}

/**
 * Messages on channels that the broker has closed: it does not say for which one. Each is published once more on a channel
 * that carries nothing else, and what closes that is refused, by itself.
 */
export class IsolatedPublisher {
  readonly #options: IsolatedPublisherOptions;
  #model: ChannelModel | undefined;
  /** Why the broker has closed the connection, which takes all channels with it. */
  #connectionClosure: Closure | undefined;
  #waiting: PendingPublish[] = [];
  #isExamining = false;
  /** By exchange, what waits until `onRefused` has made up its mind. */
  readonly #held = new Map<string, PendingPublish[]>();

  constructor(options: IsolatedPublisherOptions) {
    this.#options = options;
  }

  /** Takes a fresh connection into use. */
  attach(model: ChannelModel): void {
    this.#model = model;
    this.#connectionClosure = undefined;
    model.on('error', ({ code, message }: Error & { code?: unknown }) => {
      if (typeof code === 'number') this.#connectionClosure = { code, reason: message };
    });
  }

  /** The broker's reason, if it has closed the channel, or the connection with it. */
  causeOf(closure: Closure): Closure {
    return closure.code === undefined ? (this.#connectionClosure ?? closure) : closure;
  }

  /** @returns those of the messages that cannot have closed their channel */
  add(unanswered: readonly PendingPublish[], { code, reason }: Closure): readonly PendingPublish[] {
    if (code === undefined) return unanswered;
    const [, named] = /exchange '([^']*)'/.exec(reason) ?? [];
    const exchange = named === 'amq.default' ? '' : named;
    const isNamed = ({ message }: PendingPublish): boolean => message.exchange === exchange;
    const others = unanswered.some(isNamed) ? unanswered.filter((publish) => !isNamed(publish)) : [];
    this.#waiting.push(...unanswered.filter((publish) => !others.includes(publish)));
    return others;
  }

  /** Whether a message waits here, because the broker has just refused one for the same exchange. */
  takes(publish: PendingPublish): boolean {
    return this.#held.get(publish.message.exchange)?.push(publish) !== undefined;
  }

  /** Gives back all that waits here. */
  clear(): readonly PendingPublish[] {
    const held = [...this.#held.values()].flatMap((waiting) => waiting.splice(0));
    return [...this.#waiting.splice(0), ...held];
  }

  /** Publishes what waits, one message at a time; without a connection, they wait for the next one. */
  async examine(): Promise<void> {
    if (this.#isExamining) return;
    this.#isExamining = true;
    for (let next = this.#waiting[0]; this.#model && next; next = this.#waiting[0]) {
      if (!(await this.#examineOne(this.#model, next))) break;
      this.#waiting.shift();
    }
    this.#isExamining = false;
  }

  /** @returns whether it was sent */
  async #examineOne(model: ChannelModel, publish: PendingPublish): Promise<boolean> {
    const { how, doubts, send } = this.#options;
    if (publish.isDone || !publish.isWanted()) send(publish);
    else if (!this.takes(publish) && !doubts.takes(publish)) {
      const answer = await publishAlone(model, publish, how);
      if (answer === 'unsent') return false;
      if (answer === 'unanswered') doubts.unreachable(publish);
      else if (typeof answer === 'string') publish.resolve(answer);
      else {
        const { code, reason } = this.causeOf(answer);
        publish.losses += 1;
        if (code === undefined) send(publish);
        else void this.#refuse(publish, code, reason);
      }
    }
    return true;
  }

  async #refuse(publish: PendingPublish, code: number, reason: string): Promise<void> {
    const { onRefused, send } = this.#options;
    const { exchange } = publish.message;
    const refusal = new PublishRefusedError(code, exchange, reason);
    const held: PendingPublish[] = [];
    this.#held.set(exchange, held);
    const isRepaired = await onRefused?.(refusal).catch(() => false);
    this.#held.delete(exchange);
    if (isRepaired) send(publish);
    else publish.reject(refusal);
    for (const waiting of held.splice(0)) send(waiting);
  }
}

/** Publishes a message on a channel of its own. Never rejects. */
async function publishAlone(
  model: ChannelModel,
  publish: PendingPublish,
  how: Publish,
): Promise<Answer | 'unanswered' | 'unsent' | Closure> {
  let channel: ConfirmingChannel | undefined;
  try {
    const raw = await within(OPEN_TIMEOUT_MS, 'a channel', model.createConfirmChannel());
    const answered = new Promise<Answer | Closure>((resolve) => {
      channel = new ConfirmingChannel(raw, how, {
        onAnswer: (_, answer) => resolve(answer),
        onClosed: (_, closure) => resolve(closure),
      });
      channel.send(publish, 0);
    });
    return await within(ANSWER_TIMEOUT_MS, 'the message', answered);
  } catch {
    return channel ? 'unanswered' : 'unsent';
  } finally {
    channel?.retire();
  }
}
