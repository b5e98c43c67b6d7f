import { describe, expect, it } from '@jest/globals';

import type { ErrorCode } from '#contracts';
import type { QueueOverview, FailureFacts } from '#messaging';
import type { CircuitReport } from '#platform';

import { COMMAND } from './command-facts.fixture.ts';
import { FailureTally } from './failure-tally.ts';
import type { TypeFigures } from './history.ts';
import { type Findings, verdictOf } from './verdict.ts';

const LANE = { lane: 'interactive', state: 'consuming', inFlight: 0, prefetch: 4, oldestAgeMs: 0 } as const;
const WELL: Findings = {
  bus: { isConnected: true, isBlocked: false, lastError: undefined, lanes: [LANE], redis: undefined },
  circuits: [],
  types: [],
  tally: new FailureTally(),
  operators: ['acme'],
  overview: undefined,
};
const circuit = (state: CircuitReport['state'], operator = 'acme'): CircuitReport => ({
  operator,
  operation: 'game.open',
  state,
  lastUsedAtMs: 0,
  ...(state !== 'closed' && { cause: 'HTTP 503' }),
});
type Codes = TypeFigures['codes'];
/** A hundred commands, with the given number of failures per code. */
const type = (codes: Codes, more: Partial<TypeFigures> = {}): Partial<Findings> => ({
  types: [
    {
      type: 'game.open',
      seconds: 60,
      answered: 100,
      refused: 0,
      perSecond: 2,
      p50Ms: 1,
      p95Ms: 1,
      platformP95Ms: 1,
      hour: [],
      failed: codes.reduce((sum, [, count]) => sum + count, 0),
      codes,
      failingSinceMs: 5_000,
      deadSinceMs: undefined,
      ...more,
    },
  ],
});
const KEPT = { queue: 'kept', messages: 0, reasons: [] };
const overview = (queues: QueueOverview['queues']): Partial<Findings> => ({
  overview: { queues, deadLetters: KEPT, parked: KEPT },
});
const REPORTS = { ...LANE, lane: 'reports', state: 'waiting for the broker' } as const;
const failed = (code: ErrorCode, failure: FailureFacts): Partial<Findings> => {
  const tally = new FailureTally();
  tally.failed(COMMAND, code, 'answered', failure);
  return { tally };
};

describe('verdictOf', () => {
  it('is well if every lane consumes and less than 1 % fails for reasons other than the caller', () => {
    const bus = { ...WELL.bus, redis: { kind: 'available' } as const };
    const findings = { circuits: [circuit('closed')], bus };
    expect(verdictOf({ ...WELL, ...findings, ...type([]) })).toEqual({ level: 'well', reasons: [] });
    const few = type([['PLATFORM_UNAVAILABLE', 1]], { answered: 1_000 });
    expect(verdictOf({ ...WELL, ...few }).level).toBe('well');
  });

  it('is down if nearly all commands of a player type fail, whatever the other types do', () => {
    const codes = Object.entries({ CIRCUIT_OPEN: 97, PLATFORM_UNAVAILABLE: 3 }) as unknown as Codes;
    const findings = type(codes, { deadSinceMs: 60_000 });
    expect(verdictOf({ ...WELL, ...findings, circuits: [circuit('open')] })).toEqual({
      level: 'down',
      reasons: [
        {
          key: 'game.open',
          level: 'down',
          what: 'game.open fails: 100 of 100 in the last minute',
          sinceMs: 60_000,
          why: 'the platform answers HTTP 503 (97 CIRCUIT_OPEN, 3 PLATFORM_UNAVAILABLE)',
          whoActs: 'the people who run the platform: tell them; calls continue by themselves',
          line: 'poker-bridge doctor',
          failures: [],
        },
      ],
    });
  });

  it.each<[level: string, reason: string, Partial<Findings>]>([
    [
      'down',
      'No connection to RabbitMQ ECONNREFUSED',
      { bus: { ...WELL.bus, isConnected: false, lastError: 'ECONNREFUSED' } },
    ],
    [
      'down',
      'This worker does not consume reports it is waiting for the broker',
      { bus: { ...WELL.bus, lanes: [LANE, REPORTS] } },
    ],
    [
      'down',
      'No worker consumes poker.interactive no LANES of a worker that runs names interactive; 9 wait',
      {
        bus: { ...WELL.bus, lanes: [] },
        ...overview([{ queue: 'poker.interactive', lane: 'interactive', messages: 9, consumers: 0 }]),
      },
    ],
    [
      'attention',
      'The circuit is open for game.open of acme the platform answers HTTP 503; the lane reports is paused',
      {
        bus: { ...WELL.bus, lanes: [{ ...LANE, lane: 'reports', state: 'paused' }] },
        circuits: [circuit('half-open'), circuit('closed', 'other')],
      },
    ],
    [
      'attention',
      'game.open fails: 50 of 100 in the last minute more commands arrive than the platform answers (50 OVERLOADED)',
      type([['OVERLOADED', 50]]),
    ],
    [
      'attention',
      'game.open fails: 1 of 100 in the last minute the platform does not answer: timeout (1 OUTCOME_UNKNOWN)',
      { ...type([['OUTCOME_UNKNOWN', 1]]), ...failed('OUTCOME_UNKNOWN', { reason: 'timeout' }) },
    ],
    [
      'attention',
      'game.open fails: 9 of 100 in the last minute the platform does not answer: timeout after 3.9 s (7 CIRCUIT_OPEN, 2 COMMAND_EXPIRED)',
      {
        ...type([
          ['CIRCUIT_OPEN', 7],
          ['COMMAND_EXPIRED', 2],
        ]),
        ...failed('COMMAND_EXPIRED', { reason: 'timeout', unansweredMs: 3_900 }),
        circuits: [{ ...circuit('open'), cause: 'timeout' }],
      },
    ],
    [
      'attention',
      'game.open fails: 1 of 1000 in the last minute the signature is wrong (1 SIGNATURE_REJECTED)',
      {
        ...type([['SIGNATURE_REJECTED', 1]], { answered: 1_000 }),
        ...failed('SIGNATURE_REJECTED', { status: 400, reason: 'the signature is wrong' }),
      },
    ],
    [
      'attention',
      'report.rake.fetch fails: 100 of 100 in the last minute the platform does not answer: unknown (100 PLATFORM_UNAVAILABLE)',
      type([['PLATFORM_UNAVAILABLE', 100]], { type: 'report.rake.fetch', deadSinceMs: 1 }),
    ],
  ])('is %s, and says why: %s', (expected, reason, findings) => {
    const { level, reasons } = verdictOf({ ...WELL, ...findings });
    expect(level).toBe(expected);
    expect(reasons.map(({ what, why }) => `${what} ${why}`)).toEqual([reason]);
  });

  it('names the operator whose command failed last if there are several, and probes with its key', () => {
    const codes = Object.entries({ SIGNATURE_REJECTED: 2, CIRCUIT_OPEN: 1 }) as unknown as Codes;
    const findings = { ...type(codes), ...failed('SIGNATURE_REJECTED', { reason: 'wrong' }) };
    const [reason] = verdictOf({ ...WELL, ...findings, operators: ['default', 'acme'] }).reasons;
    expect(reason?.why).toBe('wrong (2 SIGNATURE_REJECTED, last of acme; 1 CIRCUIT_OPEN)');
    expect(reason?.line).toBe('poker-bridge sign probe --yes --operator acme');
    const [strange] = verdictOf({ ...WELL, ...findings, operators: ['default', 'other'] }).reasons;
    expect(JSON.stringify({ ...strange, failures: [] })).not.toContain('acme');
  });

  it('asks the operators of the worker, not of the platform, to act on an overloaded worker', () => {
    const { reasons } = verdictOf({ ...WELL, ...type([['OVERLOADED', 50]]) });
    expect(reasons[0]?.whoActs).toBe('the people who run the worker: docs/scaling.md, Overload');
  });
});
