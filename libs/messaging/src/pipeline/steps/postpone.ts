import type { BusNames } from '#contracts';

import type { Command } from '../../command/command.ts';
import { progressHeaders } from '../../command/progress.ts';
import { POSTPONED } from '../../envelope/own-headers.ts';
import { nextDelayMs } from '../../rabbitmq/retrying/next-delay.ts';
import { failureOf, type Settlement } from '../settlement.ts';
import type { Next, Step } from '../step.ts';

/** Has a report wait for the platform to come back, as long as its deadline allows; a player does not wait. */
export const postpone =
  (names: BusNames, delaysMs: readonly number[]): Step =>
  (command, next) =>
    command.lane === 'reports' ? postponeReport(command, next, names, delaysMs) : next(command);

async function postponeReport(
  command: Command,
  next: Next,
  names: BusNames,
  delaysMs: readonly number[],
): Promise<Settlement> {
  const settlement = await next(command);
  const failure = failureOf(settlement);
  if (failure?.category !== 'unavailable') return settlement;
  const postponed = Number(command.envelope.own[POSTPONED]) || 0;
  const { retryAfterMs } = failure;
  const remainingMs = command.deadline.remainingMs();
  const delayMs = nextDelayMs({ delaysMs, postponed, retryAfterMs, remainingMs });
  if (delayMs === undefined) return settlement;
  const headers = { [POSTPONED]: postponed + 1, ...progressHeaders(command.run) };
  return { kind: 'postpone', copy: { queue: names.retry(delayMs), headers }, delayMs, failure };
}
