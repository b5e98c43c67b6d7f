import { ERROR_CODES, type ErrorCategory, isCommandType, platformSays } from '#contracts';
import type { KeptOverview } from '#messaging';

import { PLATFORM_PEOPLE, WHO_ACTS, WORKER_PEOPLE } from '../who-acts.ts';
import type { Failure } from './failure-tally.ts';
import { type Findings, PLAIN_NAME, STUCK, type verdictOf } from './verdict.ts';

/** Maximum rows of the table. The log and the metrics contain all failures. */
const MOST_CAUSES = 10;

/** Severity of failures that are not a reason of the verdict. */
const WEIGHTS: Readonly<Record<ErrorCategory, number>> = {
  internal: 4,
  misconfigured: 4,
  uncertain: 2,
  unavailable: 2,
  expired: 2,
  rejected: 1,
  invalid: 1,
};
/**
 * Kept messages rank higher than most failures because they wait for a person; failures were already reported
 * to their callers.
 */
const WEIGHT_OF_KEPT = 3;

/**
 * Returns the causes of failures, the most severe first: reasons of the verdict, then past failures and kept
 * messages.
 */
export function causesOf(findings: Findings, reasons: ReturnType<typeof verdictOf>['reasons']) {
  const { overview, tally } = findings;
  const current = reasons.map(({ failures, last, ...reason }) => ({
    ...reason,
    commands: [...failures.map(commandOf), ...(last ? [{ ...last, line: traceLine(last.id) }] : [])],
  }));
  const explained = new Set(reasons.flatMap(({ failures }) => failures));
  const others = [
    ...tally.failures.filter((failure) => !explained.has(failure)).map((each) => causeOf(each, findings)),
    ...keptCauses(overview?.deadLetters, 'dead letters', 'dead-letters'),
    ...keptCauses(overview?.parked, 'parked replies', 'replies'),
  ].toSorted((a, b) => b.weight - a.weight || (b.lastAtMs ?? 0) - (a.lastAtMs ?? 0));
  const causes = [...current, ...others].slice(0, MOST_CAUSES);
  return { causes, causesLeftOut: current.length + others.length - causes.length };
}

/** Omits operators that are not configured, because callers choose these names. */
function causeOf(failure: Failure, { operators }: Findings) {
  const { code, type, end, count, firstAtMs, lastAtMs, last } = failure;
  const { category, message } = ERROR_CODES[code];
  const isUnanswered = last.unansweredMs !== undefined;
  return {
    key: `${code} ${type} ${end}`,
    level: 'noted' as const,
    weight: WEIGHTS[category],
    what: `${type}: ${code}${end === 'postponed' ? ', retried later' : ''}`,
    count,
    sinceMs: firstAtMs,
    lastAtMs,
    why: isUnanswered ? platformSays('timeout', last.unansweredMs) : message,
    whoActs: isUnanswered ? PLATFORM_PEOPLE : WHO_ACTS[category],
    operators: failure.operators.filter((operator) => operators.includes(operator)),
    line: undefined,
    commands: [commandOf(failure)],
  };
}

/** Kept messages by reason and queue, except those that the verdict names. */
function keptCauses(kept: KeptOverview | undefined, name: string, subcommand: string) {
  const list = `poker-bridge ${subcommand} list`;
  const { queue: keptIn = name, messages = 0 } = kept ?? {};
  const row = { level: 'noted' as const, weight: WEIGHT_OF_KEPT, whoActs: WORKER_PEOPLE };
  if (messages > 0 && kept?.reasons === undefined) {
    const why = `${keptIn} was not read`;
    const unread = { key: name, what: `${messages} ${name}`, count: messages, why, line: list };
    return [{ ...row, ...unread, sinceMs: undefined, lastAtMs: 0, commands: [] }];
  }
  const reasons = kept?.reasons?.filter(({ reason }) => !STUCK.has(reason)) ?? [];
  return reasons.map(({ reason, queue, count, since, last: { id, type, failedAt, failure } }) => ({
    ...row,
    key: JSON.stringify([name, reason, queue]),
    what: `${name}: ${reason}${queue && `, ${name === 'dead letters' ? 'from' : 'for'} ${queue}`}`,
    count,
    sinceMs: since === undefined ? undefined : Date.parse(since),
    lastAtMs: failedAt === undefined ? undefined : Date.parse(failedAt),
    why: Object.hasOwn(ERROR_CODES, reason)
      ? ERROR_CODES[reason as Failure['code']].message
      : `kept in ${keptIn}`,
    line: PLAIN_NAME.test(reason) ? `${list} --reason ${reason}` : list,
    commands: [{ id, type: isCommandType(type) ? type : undefined, ...failure, line: traceLine(id) }],
  }));
}

/** The latest failed command of a kind, with the details from the log. */
function commandOf({ code, type, count, lastAtMs, last }: Failure) {
  return { code, type, count, lastAtMs, ...last, line: traceLine(last.id) };
}

function traceLine(id: string): string | undefined {
  return PLAIN_NAME.test(id) ? `poker-bridge trace --id ${id}` : undefined;
}
