import { hostname } from 'node:os';

import type { QueueOverview, MessagingHealth } from '#messaging';
import { OPERATIONS, type PlatformClients } from '#platform';

import { compartmentsOf } from '../platform-state.ts';
import { causesOf } from './causes.ts';
import { type Findings, verdictOf } from './verdict.ts';

/** The metrics have the other operators. */
const MOST_OPERATORS = 50;
/** Operators that are well; the others of them are counted. */
const MOST_WELL = 10;
/** Outweighs any number of commands in flight. */
const WEIGHT_OF_TROUBLE = 1e6;

/** The parts that a view is made of. */
export interface Sources extends Findings {
  readonly prefix: string;
  readonly bus: MessagingHealth;
  readonly platform: Pick<PlatformClients, 'get' | 'operations'>;
}

/** The state that the page shows: states, counts, codes and ids; nothing of a command's data. */
export function consoleView(sources: Sources) {
  const { prefix, bus, look, types } = sources;
  const { level, reasons } = verdictOf(sources);
  const [worst] = reasons;
  const { isConnected, isBlocked, release, advice, lanes, redis } = bus;
  const operators = operatorsOf(sources).toSorted((a, b) => weightOf(b) - weightOf(a));
  const shown = operators
    .filter((each, rank) => rank < MOST_WELL || weightOf(each) >= WEIGHT_OF_TROUBLE)
    .slice(0, MOST_OPERATORS);
  return {
    prefix,
    verdict: { level, worst: worst && { ...worst, failures: undefined, last: undefined } },
    ...causesOf(sources, reasons),
    queues: look && [...look.queues, look.deadLetters, look.parked].map(countsOf),
    // In a container the process id is always the same, on one host the host is.
    worker: `${hostname()}, process ${process.pid}`,
    startedAtMs: Math.round(performance.timeOrigin),
    broker: { isConnected, isBlocked, release, advice },
    redis: redis?.kind,
    lanes,
    commands: { seconds: Math.round(types[0]?.seconds ?? 0), types, changes: changesOf(sources) },
    operators: shown,
    operatorsLeftOut: operators.length - shown.length,
  };
}

function countsOf({ queue, messages, ...more }: QueueOverview['queues'][number] | QueueOverview['parked']) {
  const { lane, consumers } = { lane: undefined, consumers: undefined, ...more };
  return { queue, lane, messages, consumers };
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

/** When a circuit or the connection to the broker failed and recovered, as the plots mark it. */
function changesOf({ tally }: Sources) {
  let isBrokerAway = false;
  return tally.changes.flatMap(({ name, isTrouble, atMs }) => {
    const [operation, operator] = name.split(' ');
    if (operator !== undefined) {
      const what = isTrouble ? 'circuit opened' : 'circuit closed';
      return { atMs, isTrouble, operation, what: `${what} (${operator})` };
    }
    // Both connections usually change at the same time.
    if (isTrouble === isBrokerAway) return [];
    isBrokerAway = isTrouble;
    return { atMs, isTrouble, what: isTrouble ? 'RabbitMQ unavailable' : 'RabbitMQ available' };
  });
}
