import {
  type CommandType,
  ERROR_CODES,
  type ErrorCategory,
  type ErrorCode,
  LANE_OF_COMMAND,
} from '#contracts';
import type { BusLook, MessagingHealth } from '#messaging';
import type { CircuitReport } from '#platform';

import { isServed } from '../health/health.controller.ts';
import type { FailureTally } from './failure-tally.ts';
import type { TypeHistory } from './history.ts';

/** Something that is wrong, for the person on call. */
interface Reason {
  readonly level: 'attention' | 'down';
  readonly what: string;
  /** Milliseconds since the epoch. */
  readonly sinceMs: number | undefined;
  readonly why: string;
  readonly whoActs: string;
  /** The first line to type. */
  readonly line: string;
}

export interface Findings {
  readonly bus: Pick<MessagingHealth, 'isConnected' | 'lastError' | 'lanes' | 'redis'>;
  readonly circuits: readonly CircuitReport[];
  readonly types: readonly TypeHistory[];
  readonly tally: FailureTally;
  /** Those that are configured; any other name is a caller's text. */
  readonly operators: readonly string[];
  /** Undefined before the broker was looked at, and if it does not answer. */
  readonly look: BusLook | undefined;
}

/** Fewer than one in a hundred in a minute are not noted, unless only a person can fix them. */
const NOTED_SHARE = 0.01;
const OF_PEOPLE: ReadonlySet<ErrorCategory> = new Set(['misconfigured', 'internal']);
/** A name that a shell takes as it is. Any other id was chosen by somebody who may not be trusted, and is not to be typed. */
export const PLAIN_NAME = /^\w[\w.:@/-]*$/;
/** The rest are in the tables. */
const MOST_NAMED = 3;
const DOCTOR = 'poker-bridge doctor';
const OUR_PEOPLE = 'the people who run the worker';

/** Judges the service as a worker sees it: whether somebody has to get up, and why, the gravest reason first. */
export function verdictOf(findings: Findings) {
  const reasons = [
    ...brokerReasons(findings),
    ...laneReasons(findings),
    ...typeReasons(findings),
    ...circuitReasons(findings),
    ...parkedReasons(findings),
    ...redisReasons(findings),
  ].toSorted((a, b) => Number(b.level === 'down') - Number(a.level === 'down'));
  return { level: reasons[0]?.level ?? ('well' as const), reasons };
}

/** Whether it takes nothing from publishers; without a permission, it is a lane that is not consumed. */
export function isBlocked({ isConnected, lastError, lanes }: Findings['bus']): boolean {
  return isConnected && lastError !== undefined && lanes.every(({ state }) => isServed(state));
}

function* brokerReasons({ bus, tally }: Findings): Generator<Reason> {
  const sinceMs = tally.brokerSinceMs();
  const whoActs = 'the people who run RabbitMQ; workers continue by themselves, and nothing is lost';
  if (!bus.isConnected) {
    const why = bus.lastError ?? 'not connected yet';
    yield { level: 'down', what: 'No connection to RabbitMQ', sinceMs, why, whoActs, line: DOCTOR };
  } else if (isBlocked(bus)) {
    const what = 'RabbitMQ takes nothing, so no reply leaves';
    const why = `it has an alarm: ${bus.lastError}`;
    yield { level: 'down', what, sinceMs, why, whoActs, line: 'rabbitmq-diagnostics alarms' };
  }
}

function* laneReasons({ bus, look }: Findings): Generator<Reason> {
  const common = { sinceMs: undefined, whoActs: OUR_PEOPLE, line: DOCTOR };
  for (const { lane, state } of bus.lanes) {
    const what = `This worker does not consume ${lane}`;
    const why = bus.lastError ?? `it is ${state}`;
    if (bus.isConnected && !isServed(state)) yield { level: 'down', what, why, ...common };
  }
  for (const { lane, queue, messages = 0, consumers } of look?.queues ?? []) {
    if (lane === undefined || consumers !== 0 || bus.lanes.some((own) => own.lane === lane)) continue;
    const level = lane === 'interactive' ? 'down' : 'attention';
    const why = `no LANES of a worker that runs names ${lane}; ${messages} wait`;
    yield { level, what: `No worker consumes ${queue}`, why, ...common };
  }
}

/** Types that fail for the same cause are one reason. */
function typeReasons(findings: Findings): Reason[] {
  const separator = findings.operators.length > 1 ? '; ' : ', ';
  const failing = findings.types.flatMap((type) => failureOf(type, findings));
  const groups = Map.groupBy(failing, ({ level, cause, line }) => `${level} ${cause} ${line}`);
  return [...groups.values()].map((group) => {
    const [{ level, cause, whoActs, line }] = group as [Failing];
    const names = group.map(({ type }) => type.type).join(' and ');
    const sum = (of: (type: TypeHistory) => number): number =>
      group.reduce((total, { type }) => total + of(type), 0);
    const [sinceMs] = group
      .flatMap(({ type }) => type.deadSinceMs ?? type.failingSinceMs ?? [])
      .toSorted((a, b) => a - b);
    const codes = new Map<ErrorCode, number>();
    for (const [code, count] of group.flatMap(({ type }) => type.codes))
      codes.set(code, (codes.get(code) ?? 0) + count);
    const named = [...codes].slice(0, MOST_NAMED).map(([code, count]) => {
      const [operator] = group.flatMap(({ type }) => lastOperatorOf(type.type, code, findings) ?? []);
      return operator === undefined ? `${count} ${code}` : `${count} ${code}, last of ${operator}`;
    });
    const share = `${sum(({ failed }) => failed)} of ${sum(({ answered, refused }) => answered - refused)}`;
    const what = `${names} ${group.length === 1 ? 'fails' : 'fail'}: ${share} in the last minute`;
    return { level, what, sinceMs, why: `${cause} (${named.join(separator)})`, whoActs, line };
  });
}

interface Failing extends Pick<Reason, 'level' | 'whoActs' | 'line'> {
  readonly type: TypeHistory;
  readonly cause: string;
}

/** Empty if too few commands fail for anybody to look. */
function failureOf(type: TypeHistory, findings: Findings): readonly Failing[] {
  const { answered, failed, codes, deadSinceMs } = type;
  const [[code] = []] = codes;
  const isForPeople = codes.some(([each]) => OF_PEOPLE.has(ERROR_CODES[each].category));
  if (code === undefined || (!isForPeople && failed < NOTED_SHARE * answered)) return [];
  const isOfPlayers = LANE_OF_COMMAND[type.type as CommandType] === 'interactive';
  const level = isOfPlayers && deadSinceMs !== undefined ? 'down' : 'attention';
  const operator = lastOperatorOf(type.type, code, findings);
  return [{ type, level, cause: causeOf(type.type, code, findings), ...remedyOf(code, operator) }];
}

/** Whose command was the last that failed so, if there are several operators. */
function lastOperatorOf(type: string, code: ErrorCode, { tally, operators }: Findings): string | undefined {
  const last = tally.failures.find((failure) => failure.type === type && failure.code === code);
  return operators.length > 1 ? operators.find((name) => name === last?.operators[0]) : undefined;
}

/** Circuits whose operation fails no command of this minute: reports wait in their queues. */
function* circuitReasons({ circuits, types, tally, bus }: Findings): Generator<Reason> {
  const failing = new Set(types.filter(({ failed }) => failed > 0).map(({ type }) => type));
  const open = circuits.filter(({ state, operation }) => state !== 'closed' && !failing.has(operation));
  const [first] = open;
  if (!first) return;
  const named = open.slice(0, MOST_NAMED).map(({ operator, operation }) => `${operation} of ${operator}`);
  const more = open.length > named.length ? ` and ${open.length - named.length} more` : '';
  const paused = bus.lanes.filter(({ state }) => state === 'paused').map(({ lane }) => lane);
  yield {
    level: 'attention',
    what: `The circuit is open for ${named.join(', ')}${more}`,
    sinceMs: tally.openSinceMs(first.operator, first.operation),
    why: `${platformSays(first.cause)}${paused.length > 0 ? `; the lane ${paused.join(', ')} is paused` : ''}`,
    ...remedyOf('CIRCUIT_OPEN'),
  };
}

function* parkedReasons({ look }: Findings): Generator<Reason> {
  const stuck = look?.parked.reasons?.filter(({ reason }) => STUCK.has(reason)) ?? [];
  for (const { reason, count, since, last } of stuck) {
    yield {
      level: 'attention',
      what: `${count} ${count === 1 ? 'reply waits' : 'replies wait'} for ${last.queue || 'a queue'}`,
      sinceMs: since === undefined ? undefined : Date.parse(since),
      why: `the queue ${STUCK.get(reason)} (${reason})`,
      whoActs: 'the caller that reads the queue; replies follow by themselves once it takes them',
      line: `poker-bridge replies list --reason ${reason}`,
    };
  }
}

const STUCK: ReadonlyMap<string, string> = new Map([
  ['REPLY_QUEUE_FULL', 'is full: its caller does not read it'],
  ['REPLY_QUEUE_UNREACHABLE', 'takes nothing, and is not full'],
]);

function* redisReasons({ bus: { redis } }: Findings): Generator<Reason> {
  if (redis?.kind !== 'away') return;
  yield {
    level: 'attention',
    what: 'Redis is away: each worker recognises only its own repeats',
    sinceMs: redis.sinceMs,
    why: redis.reason,
    whoActs: 'the people who run Redis; commands are answered all the same',
    line: DOCTOR,
  };
}

function causeOf(type: string, code: ErrorCode, { tally, circuits }: Findings): string {
  const last = tally.failures.find((failure) => failure.type === type && failure.code === code)?.last;
  const { category } = ERROR_CODES[code];
  if (category !== 'unavailable' && category !== 'uncertain')
    return last?.reason ?? ERROR_CODES[code].message;
  const known = last?.status === undefined ? last?.reason : `HTTP ${last.status}`;
  const cause = circuits.find(({ operation, cause: its }) => operation === type && its !== undefined)?.cause;
  return code === 'OVERLOADED' ? 'this worker is full' : platformSays(cause ?? known);
}

function platformSays(cause = 'unknown'): string {
  return cause.startsWith('HTTP') ? `the platform answers ${cause}` : `no answer of the platform: ${cause}`;
}

function remedyOf(code: ErrorCode, operator = 'default'): Pick<Reason, 'whoActs' | 'line'> {
  const { category } = ERROR_CODES[code];
  if (category === 'internal')
    return { whoActs: OUR_PEOPLE, line: `poker-bridge dead-letters list --reason ${code}` };
  if (code === 'SIGNATURE_REJECTED') {
    const whose = operator !== 'default' && PLAIN_NAME.test(operator) ? ` --operator ${operator}` : '';
    return { whoActs: OUR_PEOPLE, line: `poker-bridge sign probe --yes${whose}` };
  }
  if (category === 'misconfigured') return { whoActs: OUR_PEOPLE, line: DOCTOR };
  const whoActs =
    code === 'OVERLOADED'
      ? `${OUR_PEOPLE}: more workers, or a quicker platform`
      : 'the people who run the platform: tell them; calls continue by themselves';
  return { whoActs, line: DOCTOR };
}
