import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';

import { Metrics } from './metrics.ts';
import { StateMetric } from './plain-metric.ts';

/** The table of bus contract, section 8, and what people on call ask beyond: name, kind, labels. */
const METRICS = `
  poker_admission_in_flight                gauge      operator operation
  poker_admission_in_flight_limit          gauge
  poker_admission_wait_seconds             histogram  operation
  poker_admission_waiting_limit            gauge
  poker_broker_blocked                     gauge
  poker_broker_connected                   gauge
  poker_circuit_changes_total              counter    operator operation state
  poker_circuit_state                      gauge      operator operation
  poker_command_duration_seconds           histogram  type
  poker_command_wait_seconds               histogram  lane
  poker_commands_failed_total              counter    type category
  poker_commands_in_flight                 gauge      lane
  poker_commands_moved_total               counter    queue
  poker_commands_postponed_total           counter    type code
  poker_commands_returned_total            counter    lane
  poker_commands_total                     counter    type outcome
  poker_compartment_in_flight              gauge      operator operation
  poker_compartment_overflowed_total       counter    operator operation
  poker_compartment_waiting                gauge      operator operation
  poker_consumers_lost_total               counter    queue
  poker_dead_letters_total                 counter
  poker_lane_prefetch                      gauge      lane
  poker_lane_state                         gauge      lane state
  poker_oldest_command_age_seconds         gauge      lane
  poker_platform_refusals_total            counter    operation reason
  poker_platform_request_duration_seconds  histogram  operation result
  poker_platform_requests_total            counter    operation result
  poker_platform_retries_total             counter
  poker_platform_signature_doubts_total    counter    operator operation
  poker_ready                              gauge
  poker_redeliveries_total                 counter    lane
  poker_redis_connected                    gauge
  poker_replays_total                      counter
  poker_replies_forwarded_total            counter
  poker_replies_undelivered_total          counter
  poker_retry_budget                       gauge      operator operation
`;

/** What prom-client knows of a metric and does not type, or types otherwise. */
interface Registered {
  readonly name: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}

describe('Metrics', () => {
  it('are those of this table, and no other of the service itself', () => {
    const registered = new Metrics().registry.getMetricsAsArray() as unknown as Registered[];
    const lines = registered
      .filter(({ name }) => name.startsWith('poker_'))
      .map(({ name, type, labelNames }) => [name, type, ...labelNames].join(' '));
    const expected = METRICS.trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).join(' '));
    expect(lines.sort()).toEqual(expected);
  });

  it('show what has no label as 0 before anything has happened', async () => {
    const text = await new Metrics().registry.metrics();
    const names = 'platform_retries replays dead_letters replies_undelivered replies_forwarded'.split(' ');
    for (const name of names) expect(text).toContain(`\npoker_${name}_total 0\n`);
    expect(text).toContain('\npoker_broker_connected 0\n');
    expect(text).toContain('\nnodejs_eventloop_lag_seconds');
  });

  it('belong to one worker: a second one starts at zero', async () => {
    new Metrics().replays.inc();
    expect(await new Metrics().registry.metrics()).toContain('\npoker_replays_total 0\n');
  });
});

describe('StateMetric', () => {
  it('shows what its source says at each reading, and nothing of what has gone', async () => {
    const registry = new Registry();
    const states = new Map([['reports', 'paused']]);
    const facts = { name: 'lane_state', help: 'State.', type: 'gauge', registry } as const;
    const metric = new StateMetric({ ...facts, labelNames: ['lane', 'state'] });
    expect(await registry.metrics()).toBe('# HELP lane_state State.\n# TYPE lane_state gauge\n');
    metric.readBy(() => [...states].map(([lane, state]) => ({ labels: { lane, state }, value: 1 })));
    expect(await registry.metrics()).toContain('lane_state{lane="reports",state="paused"} 1\n');
    states.delete('reports');
    states.set('interactive', 'consuming');
    const text = await registry.metrics();
    expect(text).toContain('lane_state{lane="interactive",state="consuming"} 1\n');
    expect(text).not.toContain('paused');
  });
});
