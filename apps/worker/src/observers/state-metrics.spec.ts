import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';

import { MemoryIdempotencyStore, type MessagingHealth, type PokerTransport } from '#messaging';
import type { CircuitState, PlatformClients } from '#platform';
import { Metrics } from '#telemetry';

import { StateMetrics } from './state-metrics.ts';

const FACTS = { operator: 'casino', operation: 'game.open' } as const;
const LABELS = '{operator="casino",operation="game.open"}';

/** A worker whose state can be changed; `lines` reads its metrics as they are now. */
function workerIn(state: CircuitState = 'closed') {
  const health = {
    isConnected: true,
    lanes: [
      { lane: 'interactive', state: 'consuming', inFlight: 3, prefetch: 2000, oldestAgeMs: 1500 },
      { lane: 'reports', state: 'paused', inFlight: 0, prefetch: 4, oldestAgeMs: 0 },
    ],
    compartments: [{ ...FACTS, inFlight: 3, overflowed: 7 }],
  };
  const circuits = [{ ...FACTS, state }];
  const calls = [{ ...FACTS, inFlight: 2, waiting: 1, retriesLeft: 92.5 }];
  const platform = {
    circuits: () => circuits,
    calls: () => calls,
    get: () => ({}),
    limits: { connections: 256, queue: 1024 },
  };
  const metrics = new Metrics();
  const transport = { health: health as unknown as MessagingHealth } as PokerTransport;
  const store = new MemoryIdempotencyStore(1000, Date.now);
  new StateMetrics(metrics, transport, platform as unknown as PlatformClients, store).onModuleInit();
  const lines = async () => (await metrics.registry.metrics()).split('\n');
  return { health, circuits, lines };
}

describe('StateMetrics', () => {
  it('show the lanes, the calls and the compartments', async () => {
    const expected = [
      'poker_ready 1',
      'poker_lane_state{lane="interactive",state="consuming"} 1',
      'poker_lane_state{lane="interactive",state="paused"} 0',
      'poker_lane_state{lane="reports",state="paused"} 1',
      'poker_lane_prefetch{lane="interactive"} 2000',
      'poker_oldest_command_age_seconds{lane="interactive"} 1.5',
      'poker_oldest_command_age_seconds{lane="reports"} 0',
      `poker_admission_in_flight${LABELS} 2`,
      'poker_admission_in_flight_limit 256',
      'poker_admission_waiting_limit 1024',
      `poker_compartment_in_flight${LABELS} 3`,
      `poker_compartment_waiting${LABELS} 1`,
      `poker_compartment_overflowed_total${LABELS} 7`,
      `poker_retry_budget${LABELS} 92.5`,
      `poker_circuit_state${LABELS} 1`,
    ];
    expect(await workerIn('half-open').lines()).toEqual(expect.arrayContaining(expected));
  });

  it('are read at the time of the scrape, and show nothing of an operator that is gone', async () => {
    const { health, circuits, lines } = workerIn('open');
    expect(await lines()).toContain(`poker_circuit_state${LABELS} 2`);
    circuits.pop();
    health.isConnected = false;
    const now = await lines();
    expect(now).toContain('poker_ready 0');
    expect(now.filter((line) => line.startsWith('poker_circuit_state'))).toEqual([]);
  });

  it('begin the counters of a circuit at zero, so that its first event is seen', async () => {
    const lines = await workerIn().lines();
    // Nor has a worker without Redis a series of its own.
    expect(lines.filter((line) => line.startsWith('poker_redis_connected'))).toEqual([]);
    expect(lines).toContain(`poker_platform_signature_doubts_total${LABELS} 0`);
    for (const state of ['closed', 'half-open', 'open']) {
      expect(lines).toContain(`poker_circuit_changes_total${LABELS.replace('}', `,state="${state}"}`)} 0`);
    }
  });
});
