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

export type LoadDriver = Awaited<ReturnType<typeof openLoadDriver>>;

/**
 * Sends `session.create` to one worker, or to several of one queue, and holds every answer against its command.
 *
 * One loop at a time. It runs in the process that calls it, on a connection and with a reply queue of its own. The
 * connection is to hold: what a test breaks are the worker's.
 */
export async function openLoadDriver({ url, inbox, patienceMs = PATIENCE_MS }: LoadDriverOptions) {
  const { connection } = await openConnection(url);
  const channel = await connection.createChannel();
  const { queue: replyTo } = await channel.assertQueue('', { exclusive: true });
  const name = randomBytes(4).toString('hex');
  /** When each command without an answer was due, by its number. */
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
    // A packet for Nest's client has the answer in it.
    const isRight = due !== undefined && isSessionOf(`player-${number}`, body.response ?? body);
    tally[isRight ? 'right' : 'faults'] += 1;
    if (due === undefined || due < startedAtMs) return;
    latenciesMs.push(lastAnswerAtMs - due);
    onAnswer();
  };
  /** What a loop has come to, once each command in flight is answered, or no answer has arrived for too long. */
  const loadOf = async (commands: number): Promise<Load> => {
    while (dueAtMs.size > 0 && performance.now() - lastAnswerAtMs < patienceMs) await sleep(TICK_MS);
    return { commands, elapsedMs: lastAnswerAtMs - startedAtMs, latenciesMs };
  };

  await channel.consume(replyTo, (message) => message && receive(message), { noAck: true });
  return {
    get tally(): Tally {
      return { ...tally };
    },

    /** Keeps a fixed number of commands in flight: what a worker can do at most. */
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

    /** Commands at a steady rate: how long a caller waits. */
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

    /** What became of everything that was sent, once no answer has come for a while: a second one may be on its way. */
    async settle(): Promise<Tally> {
      for (let before = -1; lastAnswerAtMs !== before; await sleep(QUIET_MS)) before = lastAnswerAtMs;
      return { ...tally };
    },

    [Symbol.asyncDispose]: () => connection.close(),
  };
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
