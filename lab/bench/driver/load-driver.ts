import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ConsumeMessage } from 'amqplib';

import { openConnection } from '../../../test/support/broker.ts';
import { atRate } from '../../../test/support/interactive-load.ts';
import { sessionOf } from '../../../test/support/platform-stub.ts';
import { type Inbox, sendTo } from './inbox.ts';

export interface LoadDriverOptions {
  readonly url: string;
  readonly inbox: Inbox;
  /** The time without an answer after which all remaining answers count as missing. Default: 10 s. */
  readonly patienceMs?: number;
}

export interface ClosedLoop {
  /**
   * The number of in-flight commands. A new command is sent for each answer, so that the number stays
   * constant.
   */
  readonly inFlight: number;
  readonly commands: number;
  /** Stops sending after this time. Default: no limit. */
  readonly forMs?: number;
}

export interface OpenLoop {
  /** Commands are sent at this rate, independently of the answers. */
  readonly perSecond: number;
  readonly forMs: number;
}

export interface Load {
  readonly commands: number;
  /** The time from the first command to the last answer. */
  readonly elapsedMs: number;
  /** The latency of each answered command, measured from its due time, in the order of the answers. */
  readonly latenciesMs: readonly number[];
}

export interface Tally {
  readonly sent: number;
  /** The number of commands whose first answer was correct. */
  readonly right: number;
  /** All other answers: errors, answers with the data of another command, and duplicate answers. */
  readonly faults: number;
}

/** True if each command got exactly one answer, and that was correct. */
export function isFaultless({ sent, right, faults }: Tally): boolean {
  return right === sent && faults === 0;
}

const TYPE = 'session.create';
const TICK_MS = 1;
const QUIET_MS = 200;
const PATIENCE_MS = 10_000;

export type LoadDriver = Awaited<ReturnType<typeof openLoadDriver>>;

/**
 * Sends `session.create` to one worker, or to several on one queue, and compares every answer with its
 * command.
 *
 * Runs one loop at a time in the calling process, on its own connection and reply queue. This connection must
 * not fail: tests break only the worker's connections.
 */
export async function openLoadDriver({ url, inbox, patienceMs = PATIENCE_MS }: LoadDriverOptions) {
  const { connection } = await openConnection(url);
  const channel = await connection.createChannel();
  const { queue: replyTo } = await channel.assertQueue('', { exclusive: true });
  const name = randomBytes(4).toString('hex');
  /** The due time of each unanswered command, by its number. */
  const dueAtMs = new Map<number, number>();
  const tally = { sent: 0, right: 0, faults: 0 };
  let latenciesMs: number[] = [];
  let startedAtMs = 0;
  let lastAnswerAtMs = 0;
  let onAnswer = (): void => undefined;

  const begin = (): void => {
    latenciesMs = [];
    startedAtMs = lastAnswerAtMs = performance.now();
  };
  const send = (atMs: number): void => {
    const number = tally.sent++;
    dueAtMs.set(number, atMs);
    const data = { userId: `player-${number}`, nick: `Ace ${number}`, lang: 'en', currency: 'EUR' };
    sendTo(inbox, channel, { type: TYPE, id: `${name}-${number}`, data, replyTo });
  };
  const receive = ({ properties, content }: ConsumeMessage): void => {
    lastAnswerAtMs = performance.now();
    const body = JSON.parse(content.toString()) as { response?: unknown };
    const number = Number(String(properties.correlationId).split('-')[1]);
    const due = dueAtMs.get(number);
    dueAtMs.delete(number);
    // A packet for Nest's client contains the answer.
    const isRight = due !== undefined && isSessionOf(`player-${number}`, body.response ?? body);
    tally[isRight ? 'right' : 'faults'] += 1;
    if (due === undefined || due < startedAtMs) return;
    latenciesMs.push(lastAnswerAtMs - due);
    onAnswer();
  };
  /**
   * Returns the result of a loop when each in-flight command is answered, or no answer has arrived for too
   * long.
   */
  const loadOf = async (commands: number): Promise<Load> => {
    while (dueAtMs.size > 0 && performance.now() - lastAnswerAtMs < patienceMs) await sleep(TICK_MS);
    return { commands, elapsedMs: lastAnswerAtMs - startedAtMs, latenciesMs };
  };

  await channel.consume(replyTo, (message) => message && receive(message), { noAck: true });
  return {
    get tally(): Tally {
      return { ...tally };
    },

    /** Keeps a fixed number of commands in flight, to measure the maximum throughput of a worker. */
    async closedLoop({ inFlight, commands, forMs = Infinity }: ClosedLoop): Promise<Load> {
      begin();
      let sent = 0;
      const sendNext = (): void => {
        const nowMs = performance.now();
        if (sent === commands || nowMs - startedAtMs > forMs) return;
        sent += 1;
        send(nowMs);
      };
      onAnswer = sendNext;
      for (let i = 0; i < Math.min(inFlight, commands); i += 1) sendNext();
      const { elapsedMs } = await loadOf(sent);
      onAnswer = () => undefined;
      return { commands: sent, elapsedMs, latenciesMs };
    },

    /** Sends commands at a steady rate, to measure how long a caller waits. */
    async openLoop({ perSecond, forMs }: OpenLoop): Promise<Load> {
      begin();
      const commands = Math.round((perSecond * forMs) / 1_000);
      await atRate(
        perSecond,
        (sent) => sent === commands,
        (_, dueMs) => send(dueMs),
      );
      return loadOf(commands);
    },

    /**
     * Returns the outcome of all commands after a period without answers, because a second answer may still
     * be in flight.
     */
    async settle(): Promise<Tally> {
      for (let before = -1; lastAnswerAtMs !== before; await sleep(QUIET_MS)) before = lastAnswerAtMs;
      return { ...tally };
    },

    [Symbol.asyncDispose]: () => connection.close(),
  };
}

/** Returns true if an answer contains a player, and the session that the platform created for the player. */
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
