import { ERROR_CODES, type ErrorCategory, type ErrorCode } from '#contracts';
import type { MessagingHealth, RedisState } from '#messaging';
import { type CircuitReport, OPERATIONS, type PlatformClients } from '#platform';

import { compartmentsOf } from '../compartments.ts';
import type { Failure, FailureTally, Tally } from './failure-tally.ts';
import type { LastMinute } from './history.ts';
import { verdictOf } from './verdict.ts';

/** Those with most to tell; the others are in the metrics. */
const MOST_OPERATORS = 50;
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

/** What a view is made of. */
export interface Sources {
  readonly health: MessagingHealth;
  readonly platform: Pick<PlatformClients, 'calls' | 'circuits' | 'get' | 'operators'>;
  readonly tally: FailureTally;
  /** Undefined without `REDIS_URL`. */
  readonly redis: RedisState | undefined;
  readonly lastMinute: LastMinute;
}

/** The state of one operation of one operator; `circuit` is undefined before it was called. */
interface OperationView {
  readonly operation: string;
  circuit?: CircuitReport['state'];
  /** When the circuit was last closed, in milliseconds since the epoch. */
  openSinceMs?: number | undefined;
  inFlight: number;
  waiting: number;
  overflowed: number;
}

interface OperatorView {
  readonly operator: string;
  readonly operations: readonly OperationView[];
}

/** What the page shows of this moment: states, counts and codes; no id, nothing of a command's data. */
export function consoleView({ health, platform, tally, redis, lastMinute }: Sources) {
  const { isConnected, lastError, release, advice } = health;
  const circuits = platform.circuits();
  const operators = operatorsOf(health, platform, tally).toSorted((a, b) => weightOf(b) - weightOf(a));
  const isKnown = (operator: string): boolean => platform.get(operator) !== undefined;
  return {
    verdict: verdictOf({ bus: health, circuits, redis, outcomes: lastMinute.outcomes }),
    uptimeSeconds: Math.floor(process.uptime()),
    broker: { isConnected, lastError, release, advice },
    redis: redis?.kind,
    lanes: health.lanes,
    commands: {
      seconds: Math.round(lastMinute.seconds),
      types: [...lastMinute.types].map(([type, figures]) => ({ type, ...figures })),
    },
    operators: operators.slice(0, MOST_OPERATORS),
    operatorsLeftOut: Math.max(0, operators.length - MOST_OPERATORS),
    failures: tally.failures.slice(0, MOST_FAILURES).map((failure) => failureView(failure, isKnown)),
    deadLetters: byCount(tally.deadLetters),
    parked: byCount(tally.parked),
  };
}

function operatorsOf(
  health: MessagingHealth,
  platform: Sources['platform'],
  tally: FailureTally,
): readonly OperatorView[] {
  const views = new Map<string, readonly OperationView[]>();
  const find = (operator: string, name: string): OperationView | undefined =>
    views.get(operator)?.find(({ operation }) => operation === name);
  for (const operator of platform.operators()) {
    views.set(
      operator,
      OPERATIONS.map((operation) => ({ operation, inFlight: 0, waiting: 0, overflowed: 0 })),
    );
  }
  for (const { operator, operation, state } of platform.circuits()) {
    const openSinceMs = tally.openSinceMs(operator, operation);
    Object.assign(find(operator, operation) ?? {}, { circuit: state, openSinceMs });
  }
  for (const { operator, operation, ...numbers } of compartmentsOf(health, platform)) {
    Object.assign(find(operator, operation) ?? {}, numbers);
  }
  return [...views].map(([operator, operations]) => ({ operator, operations }));
}

/** Trouble first, then those with most in flight. */
function weightOf({ operations }: OperatorView): number {
  return operations.reduce((weight, { circuit, waiting, inFlight }) => {
    const isOpen = circuit !== undefined && circuit !== 'closed';
    return weight + (isOpen ? 1e9 : 0) + (waiting > 0 ? 1e6 : 0) + inFlight;
  }, 0);
}

/** The name of an operator that nobody configured is a text of a caller's, and is not shown. */
function failureView(failure: Readonly<Failure>, isKnown: (operator: string) => boolean) {
  const { category, message } = ERROR_CODES[failure.code];
  return {
    ...failure,
    operators: failure.operators.filter(isKnown),
    category,
    advice: message,
    whoActs: WHO_ACTS[category],
  };
}

function byCount<Reason extends string>(tallies: ReadonlyMap<Reason, Tally>) {
  return [...tallies]
    .map(([reason, tally]) => ({
      reason,
      ...tally,
      ...(reason in ERROR_CODES && { advice: ERROR_CODES[reason as unknown as ErrorCode].message }),
    }))
    .toSorted((a, b) => b.count - a.count);
}
