import { setTimeout as sleep } from 'node:timers/promises';

import type { ReceivedReply } from './bus-caller.ts';

export type InteractiveLoad = Awaited<ReturnType<typeof interactiveLoad>>;

/** Sends a command, by its number from 0, and waits for its replies. */
export type SendNumbered = (index: number) => Promise<readonly ReceivedReply[]>;

const TICK_MS = 1;
/** The longest time, in milliseconds, until the end of a load is noticed. */
const LONGEST_TICK_MS = 50;

/**
 * Sends at a constant rate, independent of the replies; late commands are sent at once.
 *
 * @param send receives the number of a command, from 0, and the time at which it was due
 *   (`performance.now()`)
 */
export async function atRate(
  ratePerSecond: number,
  isOver: (index: number) => boolean,
  send: (index: number, dueMs: number) => void,
): Promise<void> {
  const startMs = performance.now();
  for (let index = 0; !isOver(index);) {
    const dueMs = startMs + (index * 1_000) / ratePerSecond;
    const aheadMs = dueMs - performance.now();
    if (aheadMs > 0) await sleep(Math.max(TICK_MS, Math.min(aheadMs, LONGEST_TICK_MS)));
    else send(index++, dueMs);
  }
}

/**
 * Sends commands at a constant rate, independent of the replies, and waits for all replies. The latency of a
 * late command is measured from the time at which it was due.
 *
 * @returns the players' view: the latencies of the replies in ascending order, and the codes of the failures
 */
export async function interactiveLoad(send: SendNumbered, ratePerSecond: number, durationMs: number) {
  const failures: string[] = [];
  const call = async (index: number, dueMs: number): Promise<number> => {
    const [reply] = await send(index);
    const latencyMs = performance.now() - dueMs;
    if (reply?.type === 'command.failed') failures.push(String(reply.body['code']));
    return latencyMs;
  };
  const calls: Promise<number>[] = [];
  const isOver = (index: number): boolean => (index * 1_000) / ratePerSecond >= durationMs;
  await atRate(ratePerSecond, isOver, (index, dueMs) => calls.push(call(index, dueMs)));
  const latenciesMs = (await Promise.all(calls)).toSorted((a, b) => a - b);
  return { latenciesMs, failures };
}
