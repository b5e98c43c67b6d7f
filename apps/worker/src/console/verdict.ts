import { ERROR_CODES, type ErrorCategory, type ErrorCode, LANE_OF_COMMAND, platformSays } from '#contracts';
import type { QueueOverview, FailureFacts, MessagingHealth } from '#messaging';
import type { CircuitReport } from '#platform';

import { isLaneServed } from '../platform-state.ts';
import {
  BROKER_BLOCKED,
  BROKER_PEOPLE,
  PLATFORM_PEOPLE,
  REDIS_AWAY,
  REDIS_PEOPLE,
  WORKER_PEOPLE,
} from '../who-acts.ts';
import type { Failure, FailureTally } from './failure-tally.ts';
import { isRefused, sumOf, type TypeFigures } from './history.ts';

interface Reason {
  /** Identifies the reason while its figures change. */
  readonly key: string;
  /** Default: `attention`. */
  readonly level?: 'attention' | 'down';
  readonly what: string;
  /** Milliseconds since the epoch. */
  readonly sinceMs?: number | undefined;
  readonly why: string;
  /** Default: the people who run the worker. */
  readonly whoActs?: string;
  /** The first line to type. Default: `poker-bridge doctor`. */
  readonly line?: string;
  /** The failed commands that this reason explains. */
  readonly failures?: readonly Failure[];
  /** The latest parked reply that waits for this reason. */
  readonly last?: { readonly id: string } & Partial<FailureFacts>;
}

export interface Findings {
  readonly bus: Pick<MessagingHealth, 'isConnected' | 'isBlocked' | 'lastError' | 'lanes' | 'redis'>;
  readonly circuits: readonly CircuitReport[];
  readonly types: readonly TypeFigures[];
  readonly tally: FailureTally;
  /** Configured operators. Any other name was chosen by a caller. */
  readonly operators: readonly string[];
  /** Undefined before the first poll of the broker, and if the broker does not answer. */
  readonly overview: QueueOverview | undefined;
}

/** A failure share of less than 1 % in a minute is ignored, unless only a person can fix the failures. */
const NOTED_SHARE = 0.01;
const OF_PEOPLE: ReadonlySet<ErrorCategory> = new Set(['misconfigured', 'internal']);
/**
 * A name that needs no quoting in a shell. Other ids are never shown in a command line because an untrusted
 * caller may have chosen them.
 */
export const PLAIN_NAME = /^\w[\w.:@/-]*$/;
/** Maximum names in a text; the tables contain the rest. */
const MOST_NAMED = 3;
const USUAL = {
  level: 'attention',
  whoActs: WORKER_PEOPLE,
  line: 'poker-bridge doctor',
  failures: [],
} as const;

/**
 * Judges the service from the view of this worker: whether a person must act, and why, the most severe reason
 * first.
 */
export function verdictOf(findings: Findings) {
  const reasons = [
    ...brokerReasons(findings),
    ...laneReasons(findings),
    ...typeReasons(findings),
    ...circuitReasons(findings),
    ...parkedReasons(findings),
    ...redisReasons(findings),
  ]
    .map((reason) => ({ ...USUAL, ...reason }))
    .toSorted((a, b) => Number(b.level === 'down') - Number(a.level === 'down'));
  return { level: reasons[0]?.level ?? ('well' as const), reasons };
}

function* brokerReasons({ bus, tally }: Findings): Generator<Reason> {
  const sinceMs = tally.troubledSinceMs('consuming', 'publishing');
  const whoActs = BROKER_PEOPLE;
  if (!bus.isConnected) {
    const why = bus.lastError ?? 'not connected yet';
    yield { key: 'broker', level: 'down', what: 'No connection to RabbitMQ', sinceMs, why, whoActs };
  } else if (bus.isBlocked) {
    const what = BROKER_BLOCKED;
    const why = `it has an alarm: ${bus.lastError}`;
    yield { key: 'broker', level: 'down', what, sinceMs, why, whoActs, line: 'rabbitmq-diagnostics alarms' };
  }
}

function* laneReasons({ bus, overview }: Findings): Generator<Reason> {
  for (const { lane, state } of bus.lanes) {
    const what = `This worker does not consume ${lane}`;
    const why = bus.lastError ?? `it is ${state}`;
    if (bus.isConnected && !isLaneServed(state)) yield { key: lane, level: 'down', what, why };
  }
  for (const { lane, queue, messages = 0, consumers } of overview?.queues ?? []) {
    if (lane === undefined || consumers !== 0 || bus.lanes.some((own) => own.lane === lane)) continue;
    const level = lane === 'interactive' ? 'down' : USUAL.level;
    const why = `no LANES of a worker that runs names ${lane}; ${messages} wait`;
    yield { key: queue, level, what: `No worker consumes ${queue}`, why };
  }
}

/**
 * Reasons for failing commands. Types that fail for the same cause share one reason, and a few failures give
 * none.
 */
function* typeReasons(findings: Findings): Generator<Reason> {
  const failing = findings.types.flatMap((type) => {
    const faults = type.codes.map(([code, count]) => faultOf(type.type, code, count, findings));
    const [first] = faults;
    const isForPeople = faults.some(({ category }) => OF_PEOPLE.has(category));
    if (!first || (!isForPeople && type.failed < NOTED_SHARE * type.answered)) return [];
    const isDead = LANE_OF_COMMAND[type.type] === 'interactive' && type.deadSinceMs !== undefined;
    return [{ type, faults, first, level: isDead ? ('down' as const) : USUAL.level }];
  });
  const kindOf = ({ level, first: { cause, line } }: (typeof failing)[number]) => `${level} ${cause} ${line}`;
  for (const group of Map.groupBy(failing, kindOf).values()) {
    const [{ level, first }] = group as [(typeof failing)[number]];
    const { cause, whoActs, line } = first;
    const types = group.map(({ type }) => type);
    const faults = group.flatMap((each) => each.faults);
    const names = types.map(({ type }) => type).join(' and ');
    const failed = sumOf(types, (type) => type.failed);
    const share = `${failed} of ${sumOf(types, ({ answered, refused }) => answered - refused)}`;
    const unansweredMs = faults.find((fault) => fault.unansweredMs !== undefined)?.unansweredMs;
    const said = unansweredMs === undefined ? cause : platformSays('timeout', unansweredMs);
    const since = types.flatMap(({ deadSinceMs, failingSinceMs }) => deadSinceMs ?? failingSinceMs ?? []);
    const sinceMs = since.toSorted((a, b) => a - b)[0];
    yield {
      key: names,
      level,
      what: `${names} ${types.length === 1 ? 'fails' : 'fail'}: ${share} in the last minute`,
      sinceMs,
      why: `${said} (${codesOf(faults, findings)})`,
      whoActs,
      line,
      failures: findings.tally.failures.filter(
        ({ type, code, lastAtMs }) =>
          types.some((each) => each.type === type) && !isRefused(code) && lastAtMs >= (sinceMs ?? 0),
      ),
    };
  }
}

/** The number of failures per code, with the operator of the last one if there are several operators. */
function codesOf(faults: readonly ReturnType<typeof faultOf>[], { operators }: Findings): string {
  const byCode = Map.groupBy(faults, ({ code }) => code)
    .entries()
    .take(MOST_NAMED);
  const named = [...byCode].map(([code, same]) => {
    const [operator] = same.flatMap((fault) => fault.operator ?? []);
    const text = `${sumOf(same, ({ count }) => count)} ${code}`;
    return operator === undefined ? text : `${text}, last of ${operator}`;
  });
  return named.join(operators.length > 1 ? '; ' : ', ');
}

/** The cause of failures of a type with this code, and the action to take. */
function faultOf(type: string, code: ErrorCode, count: number, { tally, operators, circuits }: Findings) {
  const { category, message } = ERROR_CODES[code];
  const { last, operators: [name] = [] } = tally.latest(type, code) ?? {};
  const operator = operators.length > 1 ? operators.find((each) => each === name) : undefined;
  const fault = { ...USUAL, code, count, category, operator, unansweredMs: undefined };
  if (code === 'OVERLOADED') {
    const whoActs = `${WORKER_PEOPLE}: docs/scaling.md, Overload`;
    return { ...fault, cause: 'more commands arrive than the platform answers', whoActs };
  }
  const said = last?.reason ?? message;
  if (OF_PEOPLE.has(category)) return { ...fault, cause: said, line: lineOf(code, operator) };
  const circuit = circuits.find(({ operation, cause }) => operation === type && cause !== undefined);
  const known = last?.status === undefined ? last?.reason : `HTTP ${last.status}`;
  const why = circuit?.cause ?? known;
  const unansweredMs = why === 'timeout' ? last?.unansweredMs : undefined;
  const isUnanswered = category !== 'expired' || circuit !== undefined || unansweredMs !== undefined;
  return { ...fault, cause: isUnanswered ? platformSays(why) : said, unansweredMs, whoActs: PLATFORM_PEOPLE };
}

/** The first command line for the people who run the worker. */
function lineOf(code: ErrorCode, operator = 'default'): string {
  if (ERROR_CODES[code].category === 'internal') return `poker-bridge dead-letters list --reason ${code}`;
  if (code !== 'SIGNATURE_REJECTED') return USUAL.line;
  const whose = operator !== 'default' && PLAIN_NAME.test(operator) ? ` --operator ${operator}` : '';
  return `poker-bridge sign probe --yes${whose}`;
}

/**
 * Open circuits whose operation had no failed command in the last minute, because reports wait in their
 * queues.
 */
function* circuitReasons({ circuits, types, tally, bus }: Findings): Generator<Reason> {
  const failing = new Set(types.filter(({ failed }) => failed > 0).map(({ type }) => type));
  const open = circuits.filter(({ state, operation }) => state !== 'closed' && !failing.has(operation));
  const [first] = open;
  if (!first) return;
  const named = open.slice(0, MOST_NAMED).map(({ operator, operation }) => `${operation} of ${operator}`);
  const more = open.length > named.length ? ` and ${open.length - named.length} more` : '';
  const paused = bus.lanes.find(({ state }) => state === 'paused');
  yield {
    key: 'circuits',
    what: `The circuit is open for ${named.join(', ')}${more}`,
    sinceMs: tally.troubledSinceMs(first),
    why: `${platformSays(first.cause)}${paused ? `; the lane ${paused.lane} is paused` : ''}`,
    whoActs: PLATFORM_PEOPLE,
  };
}

function* parkedReasons({ overview }: Findings): Generator<Reason> {
  const stuck = overview?.parked.reasons?.filter(({ reason }) => STUCK.has(reason)) ?? [];
  for (const { reason, queue, count, since, last } of stuck) {
    yield {
      key: `${reason} ${queue}`,
      what: `${count} ${count === 1 ? 'reply waits' : 'replies wait'} for ${queue || 'a queue'}`,
      sinceMs: since === undefined ? undefined : Date.parse(since),
      why: `the queue ${STUCK.get(reason)} (${reason})`,
      whoActs: 'the caller that reads the queue; replies follow by themselves once it takes them',
      line: `poker-bridge replies list --reason ${reason}`,
      last: { id: last.id, ...last.failure },
    };
  }
}

export const STUCK: ReadonlyMap<string, string> = new Map([
  ['REPLY_QUEUE_FULL', 'is full: its caller does not read it'],
  ['REPLY_QUEUE_UNREACHABLE', 'takes nothing, and is not full'],
]);

function* redisReasons({ bus: { redis } }: Findings): Generator<Reason> {
  if (redis?.kind !== 'away') return;
  yield {
    key: 'redis',
    what: REDIS_AWAY,
    sinceMs: redis.sinceMs,
    why: redis.reason,
    whoActs: REDIS_PEOPLE,
  };
}
