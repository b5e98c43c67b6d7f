import { describe, expect, it } from '@jest/globals';

import type { CircuitReport, Operation, PlatformClient } from '#platform';

import { compartmentsOf, lanePause } from './platform-state.ts';

it('puts what a lane holds beside what waits for the platform', () => {
  const calls = [
    { operator: 'casino', operation: 'game.open', inFlight: 192, waiting: 300, retriesLeft: 100 },
    { operator: 'casino', operation: 'report.rake.fetch', inFlight: 2, waiting: 1, retriesLeft: 100 },
  ] as const;
  const compartments = [
    { operator: 'casino', operation: 'game.open', inFlight: 500, overflowed: 7 },
    { operator: 'default', operation: 'session.create', inFlight: 0, overflowed: 0 },
    { operator: 'gone', operation: 'session.create', inFlight: 0, overflowed: 0 },
  ];
  const get = (operator: string) => (operator === 'gone' ? undefined : ({} as PlatformClient));
  expect(compartmentsOf({ compartments }, { calls: () => calls, get })).toEqual([
    { operator: 'casino', operation: 'game.open', inFlight: 500, waiting: 300, overflowed: 7 },
    { operator: 'casino', operation: 'report.rake.fetch', inFlight: 3, waiting: 1, overflowed: 0 },
    { operator: 'default', operation: 'session.create', inFlight: 0, waiting: 0, overflowed: 0 },
  ]);
});

const NOW_MS = 1_000_000;
const circuit = (
  operation: Operation,
  state: CircuitReport['state'],
  facts: { readonly agoMs?: number; readonly retryAfterMs?: number } = {},
): CircuitReport => ({
  operator: 'default',
  operation,
  state,
  lastUsedAtMs: NOW_MS - (facts.agoMs ?? 0),
  ...(facts.retryAfterMs !== undefined && { retryAfterMs: facts.retryAfterMs }),
});

const pause = (...circuits: CircuitReport[]) => lanePause('reports', circuits, 1, NOW_MS).pauseMs;

describe('lanePause', () => {
  it.each([
    ['nothing was called', []],
    ['the circuit is half open', [circuit('report.rake.fetch', 'half-open', { retryAfterMs: 0 })]],
    [
      'one of two is closed',
      [circuit('report.rake.fetch', 'open', { retryAfterMs: 9 }), circuit('report.ad-hoc.fetch', 'closed')],
    ],
    ['the open one was not used for a minute', [circuit('report.rake.fetch', 'open', { agoMs: 60_001 })]],
  ])('lets the lane consume if %s', (_, circuits) => {
    expect(pause(...circuits)).toBeUndefined();
  });

  it('keeps pausing while the probe is in flight', () => {
    const halfOpen = circuit('report.rake.fetch', 'half-open', { retryAfterMs: 1_000 });
    expect(pause(halfOpen, circuit('report.ad-hoc.fetch', 'open', { retryAfterMs: 3_000 }))).toBe(1_000);
  });

  it('pauses until the first probe, whatever the other lane and circuits do that were not used for a minute', () => {
    const open = circuit('report.rake.fetch', 'open', { retryAfterMs: 4_000 });
    const adHoc = circuit('report.ad-hoc.fetch', 'open', { retryAfterMs: 3_000, agoMs: 60_000 });
    expect(pause(open, adHoc)).toBe(3_000);
    const longAgo = circuit('report.ad-hoc.fetch', 'closed', { agoMs: 60_001 });
    expect(pause(open, longAgo, circuit('game.open', 'closed'))).toBe(4_000);
  });

  it('lets the lane consume while there is an operator that it has not called', () => {
    const open = circuit('report.rake.fetch', 'open', { retryAfterMs: 4_000 });
    expect(lanePause('reports', [open], 2, NOW_MS)).toEqual({ pauseMs: undefined, isServed: true });
    const both = [open, { ...open, operator: 'other' }];
    expect(lanePause('reports', both, 2, NOW_MS)).toEqual({ pauseMs: 4_000, isServed: false });
  });

  it.each([{}, { retryAfterMs: 0 }])('pauses a millisecond if the probe is due: %j', (facts) => {
    expect(pause(circuit('report.rake.fetch', 'open', facts))).toBe(1);
  });

  const open = circuit('report.rake.fetch', 'open', { retryAfterMs: 9 });
  const halfOpen = circuit('report.rake.fetch', 'half-open');

  it.each<[boolean, string, CircuitReport[]]>([
    [true, 'one of two circuits is closed', [open, circuit('report.ad-hoc.fetch', 'closed')]],
    [
      false,
      'its circuit is half open, beside a closed one of the other lane',
      [halfOpen, circuit('game.open', 'closed')],
    ],
  ])('says that the lane is served: %s, if %s', (expected, _, circuits) => {
    expect(lanePause('reports', circuits, 1, NOW_MS).isServed).toBe(expected);
  });
});
