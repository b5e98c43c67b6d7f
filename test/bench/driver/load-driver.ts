import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';

import { openConnection } from '../../support/broker.ts';
import { atRate } from '../../support/interactive-load.ts';
import type { Speech } from './speech.ts';
import { isRightSession, Ledger, sessionData, type Tally } from './workload.ts';

export interface LoadDriverOptions {
  readonly url: string;
  readonly speech: Speech;
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

const TYPE = 'session.create';
const TICK_MS = 1;
const QUIET_MS = 200;
const PATIENCE_MS = 10_000;

/**
 * Sends `session.create` to one worker, or to several of one queue, and holds every answer against its command.
 *
 *     await using driver = await LoadDriver.open({ url, speech: busSpeech('poker') });
 *     await driver.closedLoop({ inFlight: 200, commands: 2_000 });        // warm-up
 *     const load = await driver.closedLoop({ inFlight: 200, commands: 10_000 });
 *     const { latenciesMs } = await driver.openLoop({ perSecond: 300, forMs: 10_000 });
 *     const tally = await driver.settle();                                // isFaultless(tally)
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
  readonly #ledger = new Ledger();
  /** When each command in flight was due. */
  readonly #dueAtMs = new Map<number, number>();
  #latenciesMs: number[] = [];
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
    return this.#ledger.tally;
  }

  /** Keeps a fixed number of commands in flight: what a worker can do at most. */
  async closedLoop({ inFlight, commands, forMs = Infinity }: ClosedLoop): Promise<Load> {
    const startedAtMs = this.#begin();
    let sent = 0;
    const sendNext = (): void => {
      const nowMs = performance.now();
      if (sent === commands || nowMs - startedAtMs > forMs) return;
      sent += 1;
      this.#send(nowMs);
    };
    this.#onAnswer = sendNext;
    for (let i = 0; i < Math.min(inFlight, commands); i += 1) sendNext();
    await this.#answered();
    return this.#end(startedAtMs, sent);
  }

  /** Commands at a steady rate: how long a caller waits. */
  async openLoop({ perSecond, forMs }: OpenLoop): Promise<Load> {
    const startedAtMs = this.#begin();
    const commands = Math.round((perSecond * forMs) / 1_000);
    await atRate(
      perSecond,
      (sent) => sent === commands,
      (_, dueAtMs) => this.#send(dueAtMs),
    );
    await this.#answered();
    return this.#end(startedAtMs, commands);
  }

  /** What became of everything that was sent, once no answer has come for a while: a second one may be on its way. */
  async settle(): Promise<Tally> {
    let before: number;
    do {
      before = this.#lastAnswerAtMs;
      await sleep(QUIET_MS);
    } while (this.#lastAnswerAtMs !== before);
    return this.#ledger.tally;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.close();
  }

  #begin(): number {
    this.#latenciesMs = [];
    this.#lastAnswerAtMs = performance.now();
    return this.#lastAnswerAtMs;
  }

  #end(startedAtMs: number, commands: number): Load {
    this.#onAnswer = () => undefined;
    // Whatever comes of these later is no latency of the next loop.
    this.#dueAtMs.clear();
    return { commands, elapsedMs: this.#lastAnswerAtMs - startedAtMs, latenciesMs: this.#latenciesMs };
  }

  #send(dueAtMs: number): void {
    const sequence = this.#ledger.next();
    const id = `${this.#name}-${sequence}`;
    this.#dueAtMs.set(sequence, dueAtMs);
    const { speech } = this.#options;
    const { exchange, routingKey } = speech.addressOf(TYPE);
    const content = Buffer.from(JSON.stringify(speech.bodyOf(TYPE, id, sessionData(sequence))));
    this.#channel.publish(exchange, routingKey, content, {
      messageId: id,
      correlationId: id,
      replyTo: this.#replyQueue,
      contentType: 'application/json',
      persistent: true,
    });
  }

  #receive(message: ConsumeMessage): void {
    this.#lastAnswerAtMs = performance.now();
    if (!this.#options.speech.isFinal(message)) return;
    const body = JSON.parse(message.content.toString()) as { response?: unknown };
    // The packets of Nest's client have the answer in them.
    const answer = body.response ?? body;
    const sequence = this.#sequenceOf(String(message.properties.correlationId));
    if (!this.#ledger.answered(sequence, isRightSession(sequence, answer))) return;
    const dueAtMs = this.#dueAtMs.get(sequence);
    if (dueAtMs === undefined) return;
    this.#dueAtMs.delete(sequence);
    this.#latenciesMs.push(this.#lastAnswerAtMs - dueAtMs);
    this.#onAnswer();
  }

  /** -1 for a command of another sender. */
  #sequenceOf(correlationId: string): number {
    const [name, sequence] = correlationId.split('-');
    return name === this.#name ? Number(sequence) : -1;
  }

  /** Waits until each command in flight is answered, or no answer has arrived for too long. */
  async #answered(): Promise<void> {
    const { patienceMs = PATIENCE_MS } = this.#options;
    while (this.#dueAtMs.size > 0 && performance.now() - this.#lastAnswerAtMs < patienceMs)
      await sleep(TICK_MS);
  }
}
