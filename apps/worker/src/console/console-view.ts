import { hostname } from 'node:os';

import { compartmentKey } from '#contracts';
import type { QueueOverview, MessagingHealth } from '#messaging';
import { OPERATIONS, type PlatformClients } from '#platform';

import { compartmentsOf } from '../platform-state.ts';
import { causesOf } from './causes.ts';
import { type Findings, verdictOf } from './verdict.ts';

/** Maximum operators shown. The metrics contain all of them. */
const MOST_OPERATORS = 50;
/** The maximum number of healthy operators on the page, which shows only the count of the others. */
const MOST_WELL = 10;
/** Outweighs any number of commands in flight. */
const WEIGHT_OF_TROUBLE = 1e6;

/** The sources of a view. */
export interface Sources extends Findings {
  readonly prefix: string;
  readonly bus: MessagingHealth;
  readonly platform: Pick<PlatformClients, 'get' | 'operations'>;
}

/** Returns the state that the page shows: states, counts, codes and ids, but no command data. */
export function consoleView(sources: Sources) {
  const { prefix, bus, overview, types } = sources;
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
    queues: overview && [...overview.queues, overview.deadLetters, overview.parked].map(countsOf),
    // Both are needed: the process id is the same in every container, and the host name is the same for all
    // workers of a host.
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

/** Each operation of each operator. `circuit` is undefined before the first call. */
function operatorsOf({ bus, circuits, operators, platform, tally }: Sources) {
  const states = new Map(circuits.map((each) => [compartmentKey(each), each]));
  const compartments = compartmentsOf(bus, platform);
  return operators.map((operator) => ({
    operator,
    operations: OPERATIONS.map((operation) => {
      const key = compartmentKey({ operation, operator });
      const { state: circuit, cause } = states.get(key) ?? {};
      const { inFlight = 0, waiting = 0, overflowed = 0 } = compartments.get(key) ?? {};
      const openSinceMs = tally.troubledSinceMs({ operation, operator });
      return { operation, circuit, cause, openSinceMs, inFlight, waiting, overflowed };
    }),
  }));
}

/** Sort key: failing operators first, then by in-flight commands, descending. */
function weightOf({ operations }: ReturnType<typeof operatorsOf>[number]): number {
  return operations.reduce((weight, { circuit, waiting, inFlight }) => {
    const ofCircuit = circuit === undefined || circuit === 'closed' ? 0 : 1_000 * WEIGHT_OF_TROUBLE;
    return weight + ofCircuit + (waiting > 0 ? WEIGHT_OF_TROUBLE : 0) + inFlight;
  }, 0);
}

/** Failures and recoveries of circuits and of the broker connection, as marked in the plots. */
function changesOf({ tally }: Sources) {
  let isBrokerAway = false;
  return tally.changes.flatMap(({ circuit, isTrouble, atMs }) => {
    if (circuit) {
      const what = isTrouble ? 'circuit opened' : 'circuit closed';
      return { atMs, isTrouble, operation: circuit.operation, what: `${what} (${circuit.operator})` };
    }
    // Both connections usually change at the same time.
    if (isTrouble === isBrokerAway) return [];
    isBrokerAway = isTrouble;
    return { atMs, isTrouble, what: isTrouble ? 'RabbitMQ unavailable' : 'RabbitMQ available' };
  });
}
