import type { ChannelModel } from 'amqplib';

import { abortable, pause } from '../connection/abortable.ts';
import { within } from '../connection/broker-calls.ts';
import type { Connection } from '../connection/connection.ts';
import { CallerError } from '../errors/caller-error.ts';
import { type Answer, ConfirmingChannel } from './confirming-channel.ts';
import type { OutgoingCommand } from './outgoing-command.ts';

const OPEN_TIMEOUT_MS = 5_000;
/**
 * A channel that was opened while a queue had no leader may never confirm: another one does. Twice as long at each try,
 * for a busy broker.
 */
const LONGEST_ANSWER_MS = 8_000;
const PAUSE_MS = 100;
/** Channels in a row without a confirm, after which another node is tried. */
const TRIES_OF_A_NODE = 4;
const NOT_FOUND = 404;
/** Access refused, and a property that the broker does not accept. */
const NOT_PERMITTED = new Set([403, 406]);

interface OpenChannel {
  readonly model: ChannelModel;
  readonly channel: ConfirmingChannel;
}

/** How long and how patiently one command is published. */
export interface PublishLimit {
  /** Ends the tries; its reason is thrown. */
  readonly signal: AbortSignal;
  /** How long the first channel may take to confirm. A read that is published twice runs twice, so it waits longer. */
  readonly firstAnswerMs: number;
}

/** Publishes commands confirmed and mandatory, over as many channels and connections as that takes. */
export class Publisher {
  readonly #connection: Connection;
  #open: Promise<OpenChannel> | undefined;
  /** What it has come to. */
  #current: OpenChannel | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Settles once the broker has confirmed the command.
   *
   * @throws CallerError `NO_WORKER` if nobody is bound to it, `NOT_PERMITTED` if the broker refuses it for good
   * @throws the signal's reason
   */
  async publish(command: OutgoingCommand, { signal, firstAnswerMs }: PublishLimit): Promise<void> {
    let answerMs = firstAnswerMs;
    for (let tries = 1; ; tries += 1) {
      const opened = await this.#channel(signal);
      const answer = opened && (await this.#answer(opened, command, answerMs, signal));
      if (answer?.kind === 'confirmed') return;
      if (opened) {
        this.#replace(opened);
        answerMs = Math.min(2 * answerMs, LONGEST_ANSWER_MS);
        if (tries % TRIES_OF_A_NODE === 0) this.#connection.reset(opened.model, 'the node confirms nothing');
      }
      const failure = answer && failureOf(answer, command.properties.messageId);
      if (failure) throw failure;
      await pause(PAUSE_MS, signal);
    }
  }

  /** The channel in use; `undefined` if none can be opened. @throws the signal's reason */
  async #channel(signal: AbortSignal): Promise<OpenChannel | undefined> {
    const model = await this.#connection.established(signal);
    this.#open ??= openChannel(model);
    const opening = this.#open;
    const opened = await abortable(opening, signal).catch(() => undefined);
    signal.throwIfAborted();
    const isUsable = opened !== undefined && this.#connection.isCurrent(opened.model);
    if (this.#open === opening) {
      this.#current = isUsable ? opened : undefined;
      if (!isUsable) this.#open = undefined;
    }
    return isUsable ? opened : undefined;
  }

  /** `undefined` if it takes too long; a broker that blocks publishers may take as long as it wants. */
  async #answer(
    { channel }: OpenChannel,
    command: OutgoingCommand,
    answerMs: number,
    signal: AbortSignal,
  ): Promise<Answer | undefined> {
    const answered = channel.publish(command);
    for (;;) {
      const answer = await abortable(within(answerMs, 'a publish', answered), signal).catch(() => undefined);
      signal.throwIfAborted();
      if (answer || !this.#connection.isBlocked) return answer;
    }
  }

  #replace(opened: OpenChannel): void {
    opened.channel.retire();
    if (this.#current !== opened) return;
    this.#current = undefined;
    this.#open = undefined;
  }
}

async function openChannel(model: ChannelModel): Promise<OpenChannel> {
  const raw = await within(OPEN_TIMEOUT_MS, 'a channel', model.createConfirmChannel());
  return { model, channel: new ConfirmingChannel(raw) };
}

/** Why no further try can help; `undefined` if one may. */
function failureOf(answer: Answer, commandId: string): CallerError | undefined {
  if (answer.kind === 'returned') return CallerError.of('NO_WORKER', commandId);
  if (answer.kind !== 'lost' || answer.code === undefined) return undefined;
  if (answer.code === NOT_FOUND) return CallerError.of('NO_WORKER', commandId, answer.reason);
  if (NOT_PERMITTED.has(answer.code)) return CallerError.of('NOT_PERMITTED', commandId, answer.reason);
  return undefined;
}
