import { hostname } from 'node:os';

import { ERROR_CODES, type ErrorCategory, isCommandType } from '#contracts';
import type { KeptLook, MessagingHealth } from '#messaging';
import { OPERATIONS, type PlatformClients } from '#platform';

import { compartmentsOf } from '../platform-state.ts';
import type { Failure } from './failure-tally.ts';
import { type Findings, isBlocked, PLAIN_NAME, verdictOf } from './verdict.ts';

/** Operators and failures beyond it are in the metrics alone. */
const MOST_OPERATORS = 50;
/** Operators that are well; the others of them are counted. */
const MOST_WELL = 10;
/** Outweighs any number of commands in flight. */
const WEIGHT_OF_TROUBLE = 1e6;
const MOST_FAILURES = 50;

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
  readonly platform: Pick<PlatformClients, 'calls' | 'get'>;
  /** How long the last minute is: less after the start. */
  readonly seconds: number;
}

/** The state that the page shows: states, counts, codes and ids; nothing of a command's data. */
export function consoleView(sources: Sources) {
  const { prefix, bus, look, platform, tally, seconds, types } = sources;
  const { isConnected, release, advice, lanes, redis } = bus;
  const operators = operatorsOf(sources).toSorted((a, b) => weightOf(b) - weightOf(a));
  const shown = operators.filter((each, rank) => rank < MOST_WELL || weightOf(each) >= WEIGHT_OF_TROUBLE);
  const isKnown = (operator: string): boolean => platform.get(operator) !== undefined;
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
    commands: { seconds: Math.round(seconds), types },
    operators: shown.slice(0, MOST_OPERATORS),
    operatorsLeftOut: operators.length - Math.min(shown.length, MOST_OPERATORS),
    failures: tally.failures.slice(0, MOST_FAILURES).map((failure) => failureView(failure, isKnown)),
  };
}

/** Each operation of each operator; without `circuit` before it was called. */
function operatorsOf({ bus, circuits: reports, operators, platform, tally }: Sources) {
  const circuits = new Map(
    reports.map(({ operator, operation, state, cause }) => {
      // Since when it is not closed, in milliseconds since the epoch.
      const openSinceMs = tally.openSinceMs(operator, operation);
      return [`${operation} ${operator}`, { circuit: state, cause, openSinceMs }];
    }),
  );
  const compartments = new Map(
    compartmentsOf(bus, platform).map(({ operator, ...rest }) => [`${rest.operation} ${operator}`, rest]),
  );
  const unused = { inFlight: 0, waiting: 0, overflowed: 0 };
  const stateOf = (operation: string, operator: string) => {
    const name = `${operation} ${operator}`;
    return { operation, ...unused, ...circuits.get(name), ...compartments.get(name) };
  };
  return operators.map((operator) => ({
    operator,
    operations: OPERATIONS.map((each) => stateOf(each, operator)),
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
function failureView(failure: Failure, isKnown: (operator: string) => boolean) {
  const { category, message } = ERROR_CODES[failure.code];
  return {
    ...failure,
    operators: failure.operators.filter(isKnown),
    category,
    advice: message,
    whoActs: WHO_ACTS[category],
    line: traceLine(failure.last.id),
  };
}

function keptView({ queue, messages, reasons }: KeptLook, subcommand: string) {
  const line = `poker-bridge ${subcommand} list`;
  return {
    queue,
    messages,
    line,
    reasons: reasons?.map(({ reason, count, last }) => ({
      reason,
      count,
      last: { ...last, type: isCommandType(last.type) ? last.type : undefined },
      line: PLAIN_NAME.test(reason) ? `${line} --reason ${reason}` : undefined,
      trace: traceLine(last.id),
    })),
  };
}

function traceLine(id: string): string | undefined {
  return PLAIN_NAME.test(id) ? `poker-bridge trace --id ${id}` : undefined;
}
