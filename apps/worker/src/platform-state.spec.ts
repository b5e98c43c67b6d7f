import { expect, it } from '@jest/globals';

import type { CircuitReport, Operation, PlatformClients } from '#platform';

import { compartmentsOf, reportsLimit } from './platform-state.ts';

it('reports in-flight commands of a lane together with calls waiting for the platform', () => {
  const calls = [
    { operator: 'casino', operation: 'game.open', inFlight: 192, waiting: 300, retriesLeft: 100 },
    { operator: 'casino', operation: 'report.rake.fetch', inFlight: 2, waiting: 1, retriesLeft: 100 },
  ] as const;
  const compartments = [
    { operator: 'casino', operation: 'game.open', inFlight: 500, overflowed: 7 },
    { operator: 'default', operation: 'session.create', inFlight: 0, overflowed: 0 },
    { operator: 'gone', operation: 'session.create', inFlight: 0, overflowed: 0 },
  ];
  const get = (operator: string) => (operator === 'gone' ? undefined : {});
  const platform = { operations: () => calls, get } as unknown as PlatformClients;
  expect([...compartmentsOf({ compartments }, platform).values()]).toEqual([
    { operator: 'casino', operation: 'game.open', inFlight: 500, waiting: 300, overflowed: 7 },
    { operator: 'casino', operation: 'report.rake.fetch', inFlight: 3, waiting: 1, overflowed: 0 },
    { operator: 'default', operation: 'session.create', inFlight: 0, waiting: 0, overflowed: 0 },
  ]);
});

const NOW_MS = 1_000_000;
const RAKE = 'report.rake.fetch';
const AD_HOC = 'report.ad-hoc.fetch';

/** A circuit report with the fields that matter to a lane. */
const circuit = (
  operation: Operation,
  state: CircuitReport['state'],
  retryAfterMs?: number,
  agoMs = 0,
  operator = 'default',
): CircuitReport => ({
  operator,
  operation,
  state,
  lastUsedAtMs: NOW_MS - agoMs,
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});

const open = circuit(RAKE, 'open', 4_000);

it.each<[string, readonly CircuitReport[], operators: number, limit: number]>([
  ['nothing was called', [], 1, Infinity],
  ['the circuit lets its probe through', [circuit(RAKE, 'half-open', 0)], 1, 1],
  ['one of two is closed', [open, circuit(AD_HOC, 'closed')], 1, Infinity],
  ['the open one was not used for a minute', [circuit(RAKE, 'open', 9, 60_001)], 1, 0],
  ['there is an operator that it has not called', [open], 2, Infinity],
  ['all are open of both operators', [open, circuit(RAKE, 'open', 5_000, 0, 'other')], 2, 0],
  ['the other kind lets its probe through', [open, circuit(AD_HOC, 'half-open')], 1, 1],
  ['a closed one was not used for a minute', [open, circuit(AD_HOC, 'closed', 0, 60_001)], 1, 0],
  ['a closed one was used in the last minute', [open, circuit(AD_HOC, 'closed', 0, 60_000)], 1, Infinity],
  ["the other lane's circuit is closed", [open, circuit('game.open', 'closed')], 1, 0],
  ['a probe is in flight', [circuit(RAKE, 'half-open', 1_000), open], 1, 0],
  ['nobody knows when the probe is due', [circuit(RAKE, 'open')], 1, 0],
])('limits the reports if %s', (_, circuits, operators, limit) => {
  expect(reportsLimit(circuits, operators, NOW_MS)).toBe(limit);
});
