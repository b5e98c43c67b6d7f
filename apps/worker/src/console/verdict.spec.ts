import { describe, expect, it } from '@jest/globals';

import type { CircuitReport } from '#platform';

import { type Findings, verdictOf } from './verdict.ts';

const LANE = { lane: 'interactive', state: 'consuming', inFlight: 0, prefetch: 4, oldestAgeMs: 0 } as const;
const WELL: Findings = {
  bus: { isConnected: true, lastError: undefined, lanes: [LANE] },
  circuits: [],
  redis: undefined,
  outcomes: new Map([
    ['success', 95],
    ['NICKNAME_TAKEN', 3],
    ['VALIDATION_FAILED', 2],
  ]),
};
const circuit = (state: CircuitReport['state'], operator = 'acme'): CircuitReport => ({
  operator,
  operation: 'game.open',
  state,
  lastUsedAtMs: 0,
});
const outcomes = (counts: Record<string, number>) => ({ outcomes: new Map(Object.entries(counts)) });

describe('verdictOf', () => {
  it('is well if every lane consumes and nothing fails but by a fault of callers and players', () => {
    expect(verdictOf({ ...WELL, circuits: [circuit('closed')], redis: { kind: 'available' } })).toEqual({
      level: 'well',
      reasons: [],
    });
  });

  it.each<[string, Partial<Findings>]>([
    [
      'No connection to the broker (ECONNREFUSED)',
      { bus: { isConnected: false, lastError: 'ECONNREFUSED', lanes: [LANE] } },
    ],
    [
      'The lane reports is not consumed: waiting for the broker',
      {
        bus: {
          isConnected: true,
          lastError: undefined,
          lanes: [LANE, { ...LANE, lane: 'reports', state: 'waiting for the broker' }],
        },
      },
    ],
  ])('is down, and says why: %s', (reason, findings) => {
    const verdict = verdictOf({ ...WELL, ...findings });
    expect(verdict.level).toBe('down');
    expect(verdict.reasons.join('\n')).toContain(reason);
  });

  it.each<[string, Partial<Findings>]>([
    ['takes no replies (memory)', { bus: { ...WELL.bus, lastError: 'memory' } }],
    [
      'The lane reports is paused',
      { bus: { ...WELL.bus, lanes: [{ ...LANE, lane: 'reports', state: 'paused' }] } },
    ],
    ['open for game.open of acme.', { circuits: [circuit('open'), circuit('closed', 'other')] }],
    ['open for game.open of acme.', { circuits: [circuit('half-open')] }],
    [
      'game.open of a, game.open of b, game.open of c and 2 more',
      { circuits: [...'abcde'].map((name) => circuit('open', name)) },
    ],
    ['Redis is away (refused)', { redis: { kind: 'away', reason: 'refused', sinceMs: 0 } }],
    ['1 of 1000 commands failed', outcomes({ success: 999, SIGNATURE_REJECTED: 1 })],
    ['1 of 1000 commands failed', outcomes({ success: 999, INTERNAL_ERROR: 1 })],
    [
      '30 of 100 commands failed by no fault of their callers: 20 COMMAND_EXPIRED, 10 CIRCUIT_OPEN',
      outcomes({ success: 70, CIRCUIT_OPEN: 10, COMMAND_EXPIRED: 20 }),
    ],
  ])('needs a look, and says why: %s', (reason, findings) => {
    const verdict = verdictOf({ ...WELL, ...findings });
    expect(verdict.level).toBe('attention');
    expect(verdict.reasons.join('\n')).toContain(reason);
  });

  it('takes less than one in a hundred that the platform failed for well', () => {
    expect(verdictOf({ ...WELL, ...outcomes({ success: 999, PLATFORM_UNAVAILABLE: 1 }) }).level).toBe('well');
  });
});
