import { setTimeout as sleep } from 'node:timers/promises';

import type { ReceivedReply } from './bus-caller.ts';

/** What players saw. */
export interface InteractiveLoad {
  /** From the moment that each was due to be sent until its reply, in order of size. */
  readonly latenciesMs: readonly number[];
  /** Replies that were no success, by code. */
  readonly failures: Readonly<Record<string, number>>;
}

/** Sends a command, by its number from 0, and waits for its replies. */
export type SendNumbered = (index: number) => Promise<readonly ReceivedReply[]>;

/**
 * Sends commands at a steady rate, whatever the replies do, and waits for all of them. What is sent late counts from when
 * it was due.
 */
export async function interactiveLoad(
  send: SendNumbered,
  ratePerSecond: number,
  durationMs: number,
): Promise<InteractiveLoad> {
  const failures: Record<string, number> = {};
  const startMs = performance.now();
  const call = async (index: number): Promise<number> => {
    const [reply] = await send(index);
    const latencyMs = performance.now() - (startMs + dueMs(index));
    if (reply?.type === 'command.failed') {
      const code = String(reply.body['code']);
      failures[code] = (failures[code] ?? 0) + 1;
    }
    return latencyMs;
  };
  const dueMs = (index: number): number => (index * 1_000) / ratePerSecond;
  const calls: Promise<number>[] = [];
  while (dueMs(calls.length) < durationMs) {
    const aheadMs = startMs + dueMs(calls.length) - performance.now();
    if (aheadMs > 0) await sleep(aheadMs);
    else calls.push(call(calls.length));
  }
  const latenciesMs = (await Promise.all(calls)).toSorted((a, b) => a - b);
  return { latenciesMs, failures };
}
