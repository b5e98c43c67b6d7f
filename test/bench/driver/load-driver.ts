import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';

import { openConnection } from '../../support/broker.ts';
import { atRate } from '../../support/interactive-load.ts';
import { sessionOf } from '../../support/platform-stub.ts';
import { type Inbox, sendTo } from './inbox.ts';

export interface LoadDriverOptions {
  readonly url: string;
  readonly inbox: Inbox;
  /** How long nothing may come back before the rest counts as missing. Default: 10 s. */
  readonly patienceMs?: number;
}

export interface ClosedLoop {
  /** A new command is sent when one is answered, so that the same number is always in flight. */
  readonly inFlight: number;
  readonly commands: number;
  /** Sends no more after this time. Default: no limit. */
  readonly forMs?: number;
}

export interface OpenLoop {
  /** Sent at this rate whatever comes back. */
  readonly perSecond: number;
  readonly forMs: number;
}

export interface Load {
  readonly commands: number;
  /** From the first command to the last answer. */
  readonly elapsedMs: number;
  /** The time from when each answered command was due to its answer, in the order of the answers. */
  readonly latenciesMs: readonly number[];
}

export interface Tally {
  readonly sent: number;
  /** Commands whose first answer was theirs. */
  readonly right: number;
  /** All other answers: errors, those of another command, those to a command that has its answer. */
  readonly faults: number;
}

/** Whether each command got exactly one answer, the right one. */
export function isFaultless({ sent, right, faults }: Tally): boolean {
  return right === sent && faults === 0;
}

const TYPE = 'session.create';
const TICK_MS = 1;
const QUIET_MS = 200;
const PATIENCE_MS = 10_000;

/**
 * Sends `session.create` to one worker, or to several of one queue, and holds every answer against its command.
 *
 * One loop at a time. It runs in the process that calls it, on a connection and with a reply queue of its own. The
 * connection is to hold: what a test breaks are the worker's.
 */
export class LoadDriver implements AsyncDisposable {
  readonly #options: LoadDriverOptions;
  readonly #connection: ChannelModel;
  readonly #channel: Channel;
  readonly #replyQueue: string;
  readonly #name = randomBytes(4).toString('hex');
  /** When each command without an answer was due, by its number. */
  readonly #dueAtMs = new Map<number, number>();
  readonly #tally = { sent: 0, right: 0, faults: 0 };
  #latenciesMs: number[] = [];
  #startedAtMs = 0;
  #lastAnswerAtMs = 0;
  #onAnswer: () => void = () => undefined;

  private constructor(
    options: LoadDriverOptions,
    connection: ChannelModel,
    channel: Channel,
    replyQueue: string,
  ) {
    this.#options = options;
    this.#connection = connection;
    this.#channel = channel;
    this.#replyQueue = replyQueue;
  }

  static async open(options: LoadDriverOptions): Promise<LoadDriver> {
    const { connection } = await openConnection(options.url);
    const channel = await connection.createChannel();
    const { queue } = await channel.assertQueue('', { exclusive: true });
    const driver = new LoadDriver(options, connection, channel, queue);
    await channel.consume(queue, (message) => message && driver.#receive(message), { noAck: true });
    return driver;
  }

  get tally(): Tally {
    return { ...this.#tally };
  }

  /** Keeps a fixed number of commands in flight: what a worker can do at most. */
  async closedLoop({ inFlight, commands, forMs = Infinity }: ClosedLoop): Promise<Load> {
    this.#begin();
    let sent = 0;
    const sendNext = (): void => {
      const nowMs = performance.now();
      if (sent === commands || nowMs - this.#startedAtMs > forMs) return;
      sent += 1;
      this.#send(nowMs);
    };
    this.#onAnswer = sendNext;
    for (let i = 0; i < Math.min(inFlight, commands); i += 1) sendNext();
    await this.#answered();
    this.#onAnswer = () => undefined;
    return this.#loadOf(sent);
  }

  /** Commands at a steady rate: how long a caller waits. */
  async openLoop({ perSecond, forMs }: OpenLoop): Promise<Load> {
    this.#begin();
    const commands = Math.round((perSecond * forMs) / 1_000);
    await atRate(
      perSecond,
      (sent) => sent === commands,
      (_, dueAtMs) => this.#send(dueAtMs),
    );
    await this.#answered();
    return this.#loadOf(commands);
  }

  /** What became of everything that was sent, once no answer has come for a while: a second one may be on its way. */
  async settle(): Promise<Tally> {
    let before: number;
    do {
      before = this.#lastAnswerAtMs;
      await sleep(QUIET_MS);
    } while (this.#lastAnswerAtMs !== before);
    return this.tally;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.close();
  }

  #begin(): void {
    this.#latenciesMs = [];
    this.#startedAtMs = this.#lastAnswerAtMs = performance.now();
  }

  #loadOf(commands: number): Load {
    const elapsedMs = this.#lastAnswerAtMs - this.#startedAtMs;
    return { commands, elapsedMs, latenciesMs: this.#latenciesMs };
  }

  #send(dueAtMs: number): void {
    const number = this.#tally.sent++;
    this.#dueAtMs.set(number, dueAtMs);
    const data = { userId: `player-${number}`, nick: `Ace ${number}`, lang: 'en', currency: 'EUR' };
    const command = { type: TYPE, id: `${this.#name}-${number}`, data, replyTo: this.#replyQueue };
    sendTo(this.#options.inbox, this.#channel, command);
  }

  #receive({ properties, content }: ConsumeMessage): void {
    this.#lastAnswerAtMs = performance.now();
    const body = JSON.parse(content.toString()) as { response?: unknown };
    const number = Number(String(properties.correlationId).split('-')[1]);
    const dueAtMs = this.#dueAtMs.get(number);
    this.#dueAtMs.delete(number);
    // A packet for Nest's client has the answer in it.
    const isRight = dueAtMs !== undefined && isSessionOf(`player-${number}`, body.response ?? body);
    this.#tally[isRight ? 'right' : 'faults'] += 1;
    if (dueAtMs === undefined || dueAtMs < this.#startedAtMs) return;
    this.#latenciesMs.push(this.#lastAnswerAtMs - dueAtMs);
    this.#onAnswer();
  }

  /** Waits until each command in flight is answered, or no answer has arrived for too long. */
  async #answered(): Promise<void> {
    const { patienceMs = PATIENCE_MS } = this.#options;
    while (this.#dueAtMs.size > 0 && performance.now() - this.#lastAnswerAtMs < patienceMs)
      await sleep(TICK_MS);
  }
}

/** Whether an answer has a player, and the session that the platform gave him. */
function isSessionOf(player: string, answer: unknown): boolean {
  const expected = sessionOf(player);
  const { userId, sessionId, auth, redirectUrl } = (answer ?? {}) as Record<string, unknown>;
  return (
    userId === expected['user-id'] &&
    sessionId === expected['session-id'] &&
    auth === expected.auth &&
    redirectUrl === expected['redirect-url']
  );
}
