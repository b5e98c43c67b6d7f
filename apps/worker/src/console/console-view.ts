import { hostname } from 'node:os';

import { ERROR_CODES, type ErrorCategory, isCommandType, platformSays } from '#contracts';
import type { KeptOverview, MessagingHealth } from '#messaging';
import { OPERATIONS, type PlatformClients } from '#platform';

import { compartmentsOf } from '../platform-state.ts';
import type { Failure } from './failure-tally.ts';
import { type Findings, isBlocked, PLAIN_NAME, verdictOf } from './verdict.ts';

/** What is beyond it is in the metrics alone. */
const MOST_OPERATORS = 50;
const MOST_FAILURES = 50;
/** Operators that are well; the others of them are counted. */
const MOST_WELL = 10;
/** Outweighs any number of commands in flight. */
const WEIGHT_OF_TROUBLE = 1e6;

/** Who can do something about a failure. Source: docs/errors.md. */
export const WHO_ACTS: Readonly<Record<ErrorCategory, string>> = {
  invalid: "the caller's developer",
  rejected: 'the caller, or the player',
  misconfigured: 'the people who run the worker',
  unavailable: 'the caller, later',
  uncertain: 'the caller, with care',
  expired: 'the caller',
  internal: 'the people who run the worker',
};

/** The parts that a view is made of. */
export interface Sources extends Findings {
  readonly prefix: string;
  readonly bus: MessagingHealth;
  readonly platform: Pick<PlatformClients, 'get' | 'operations'>;
}

/** The state that the page shows: states, counts, codes and ids; nothing of a command's data. */
export function consoleView(sources: Sources) {
  const { prefix, bus, look, platform, tally, types } = sources;
  const { isConnected, release, advice, lanes, redis } = bus;
  const operators = operatorsOf(sources).toSorted((a, b) => weightOf(b) - weightOf(a));
  const shown = operators
    .filter((each, rank) => rank < MOST_WELL || weightOf(each) >= WEIGHT_OF_TROUBLE)
    .slice(0, MOST_OPERATORS);
  return {
    prefix,
    verdict: verdictOf(sources),
    service: look && {
      queues: look.queues,
      deadLetters: keptView(look.deadLetters, 'dead-letters'),
      parked: keptView(look.parked, 'replies'),
    },
    // In a container the process id is always the same, on one host the host is.
    worker: `${hostname()}, process ${process.pid}`,
    startedAtMs: Math.round(performance.timeOrigin),
    broker: { isConnected, isBlocked: isBlocked(bus), release, advice },
    redis: redis?.kind,
    lanes,
    commands: { seconds: Math.round(types[0]?.seconds ?? 0), types },
    operators: shown,
    operatorsLeftOut: operators.length - shown.length,
    failures: tally.failures.slice(0, MOST_FAILURES).map((failure) => failureView(failure, platform)),
  };
}

/** Each operation of each operator; without `circuit` before it was called. */
function operatorsOf({ bus, circuits, operators, platform, tally }: Sources) {
  const states = new Map(circuits.map((each) => [`${each.operation} ${each.operator}`, each]));
  const compartments = new Map(
    compartmentsOf(bus, platform).map((each) => [`${each.operation} ${each.operator}`, each]),
  );
  return operators.map((operator) => ({
    operator,
    operations: OPERATIONS.map((operation) => {
      const name = `${operation} ${operator}`;
      const { state: circuit, cause } = states.get(name) ?? {};
      const { inFlight = 0, waiting = 0, overflowed = 0 } = compartments.get(name) ?? {};
      const openSinceMs = tally.troubledSinceMs(name);
      return { operation, circuit, cause, openSinceMs, inFlight, waiting, overflowed };
    }),
  }));
}

/** Trouble first, then those with most in flight. */
function weightOf({ operations }: ReturnType<typeof operatorsOf>[number]): number {
  return operations.reduce((weight, { circuit, waiting, inFlight }) => {
    const isOpen = circuit !== undefined && circuit !== 'closed';
    return weight + (isOpen ? 1e9 : 0) + (waiting > 0 ? WEIGHT_OF_TROUBLE : 0) + inFlight;
  }, 0);
}

/** The name of an operator that nobody configured is a text of a caller's, and is not shown. */
function failureView(failure: Failure, platform: Sources['platform']) {
  const { category, message } = ERROR_CODES[failure.code];
  const { unansweredMs } = failure.last;
  const isUnanswered = unansweredMs !== undefined;
  return {
    ...failure,
    operators: failure.operators.filter((operator) => platform.get(operator) !== undefined),
    category,
    advice: isUnanswered ? platformSays('timeout', unansweredMs) : message,
    whoActs: isUnanswered ? 'the people who run the platform' : WHO_ACTS[category],
    line: traceLine(failure.last.id),
  };
}

function keptView({ queue, messages, reasons }: KeptOverview, subcommand: string) {
  const line = `poker-bridge ${subcommand} list`;
  const views = reasons?.map(({ reason, count, last }) => ({
    reason,
    count,
    last: { ...last, type: isCommandType(last.type) ? last.type : undefined },
    line: PLAIN_NAME.test(reason) ? `${line} --reason ${reason}` : undefined,
    trace: traceLine(last.id),
  }));
  return { queue, messages, line, reasons: views };
}

function traceLine(id: string): string | undefined {
  return PLAIN_NAME.test(id) ? `poker-bridge trace --id ${id}` : undefined;
}
