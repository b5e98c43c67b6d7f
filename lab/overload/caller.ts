import { setTimeout as sleep } from 'node:timers/promises';

import type { ConsumeMessage } from 'amqplib';

import { openConnection } from '../../test/support/broker.ts';
import { type Inbox, sendTo } from '../bench/driver/inbox.ts';

export interface CallerOptions {
  /** The broker, with the credentials of the broker user that the worker sees as the caller. */
  readonly url: string;
  readonly inbox: Inbox;
  /** Unique among the callers of a case; without dots. */
  readonly name: string;
  readonly type?: 'session.create' | 'game.open';
  readonly operator?: string;
  readonly deadlineMs: number;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** A period during which commands are sent at one rate. */
export interface Load {
  /** Unique in a case; without dots. */
  readonly phase: string;
  /** By `performance.now()`. */
  readonly startMs: number;
  readonly forMs: number;
}

/** One command and its first final reply. */
export interface Answer {
  /** By `performance.now()`. */
  readonly dueMs: number;
  /** The time from the due time of the command to its reply; `Infinity` if no reply arrived. */
  readonly latencyMs: number;
  /** `success`, the code of an error, `LATE` for a success after the deadline, or `UNANSWERED`. */
  readonly outcome: string;
  readonly retryAfterMs?: number | undefined;
}

interface Sent {
  readonly phase: string;
  readonly dueMs: number;
  readonly sentMs: number;
}

/** The period after its deadline during which a command may still be answered. */
const PATIENCE_MS = 5_000;
const TICK_MS = 1;
const LONGEST_TICK_MS = 20;

export type Caller = Awaited<ReturnType<typeof openCaller>>;

/** Sends commands of one broker user, independently of earlier replies, and counts each command once. */
export async function openCaller(options: CallerOptions) {
  const { url, inbox, name, type = 'session.create', operator, deadlineMs, random } = options;
  const { connection } = await openConnection(url);
  const channel = await connection.createChannel();
  const { queue: replyTo } = await channel.assertQueue('', { exclusive: true });
  const userId = new URL(url).username;
  const waiting = new Map<string, Sent>();
  const answers = new Map<string, Answer[]>();
  let count = 0;
  let succeeded = 0;
  let latestMs = 0;

  const send = (phase: string, dueMs: number): void => {
    const id = `${phase}.${name}.${count++}`;
    const headers = { 'x-deadline': Date.now() + deadlineMs, ...(operator !== undefined && { operator }) };
    const sentMs = performance.now();
    latestMs = Math.max(latestMs, sentMs - dueMs);
    waiting.set(id, { phase, dueMs, sentMs });
    const data = type === 'game.open' ? { player: { id } } : { userId: id };
    sendTo(inbox, channel, { type, id, data, replyTo }, { userId, headers });
  };
  const settle = (id: string, outcome: string, retryAfterMs?: number): void => {
    const sent = waiting.get(id);
    if (sent === undefined) return;
    waiting.delete(id);
    const { phase, dueMs, sentMs } = sent;
    const nowMs = outcome === 'UNANSWERED' ? Infinity : performance.now();
    const isLate = outcome === 'success' && nowMs - sentMs > deadlineMs;
    if (outcome === 'success' && !isLate) succeeded += 1;
    answersIn(phase).push({
      dueMs,
      latencyMs: nowMs - dueMs,
      outcome: isLate ? 'LATE' : outcome,
      retryAfterMs,
    });
  };
  const receive = ({ properties, content }: ConsumeMessage): void => {
    const id = String(properties.correlationId);
    if (properties.type !== 'command.failed') return settle(id, 'success');
    const { code, retryAfterMs } = JSON.parse(content.toString()) as { code: string; retryAfterMs?: number };
    settle(id, code, retryAfterMs);
  };
  const answersIn = (phase: string): Answer[] => {
    const known = answers.get(phase) ?? [];
    answers.set(phase, known);
    return known;
  };

  await channel.consume(replyTo, (message) => message && receive(message), { noAck: true });
  return {
    /** The answered commands of a phase, in the order of their answers. */
    answersIn: (phase: string): readonly Answer[] => answersIn(phase),

    progress: () => ({ succeeded, waiting: waiting.size }),

    /** The maximum delay of the driver itself in sending a command, in milliseconds. */
    latestMs: () => latestMs,

    /**
     * Sends at random moments (Poisson) with a mean rate. Settles at the end of the load, not at the last
     * answer.
     */
    async play({ phase, startMs, forMs }: Load, perSecond: number): Promise<void> {
      const gapMs = (): number => (-Math.log(1 - random()) * 1_000) / perSecond;
      for (let dueMs = startMs + gapMs(); dueMs < startMs + forMs; dueMs += gapMs()) {
        for (let aheadMs; (aheadMs = dueMs - performance.now()) > 0;)
          await sleep(Math.max(TICK_MS, Math.min(aheadMs, LONGEST_TICK_MS)));
        send(phase, dueMs);
      }
      await sleep(Math.max(0, startMs + forMs - performance.now()));
    },

    /** Waits for the remaining answers; a command without one is `UNANSWERED`. */
    async settle(): Promise<void> {
      const untilMs = performance.now() + deadlineMs + PATIENCE_MS;
      while (waiting.size > 0 && performance.now() < untilMs) await sleep(LONGEST_TICK_MS);
      for (const id of waiting.keys()) settle(id, 'UNANSWERED');
    },

    [Symbol.asyncDispose]: () => connection.close(),
  };
}
