import { describe, expect, it } from '@jest/globals';

import { Metrics } from './metrics.ts';

/** The table of bus contract, section 8, the forwarded replies and the compartments: name, kind, labels. */
const CONTRACT = `
  poker_broker_connected                   gauge
  poker_circuit_state                      gauge      operator operation
  poker_command_duration_seconds           histogram  type
  poker_commands_in_flight                 gauge      lane
  poker_commands_total                     counter    type outcome
  poker_compartment_in_flight              gauge      operator operation
  poker_compartment_overflowed_total       counter    operator operation
  poker_compartment_waiting                gauge      operator operation
  poker_dead_letters_total                 counter
  poker_platform_request_duration_seconds  histogram  operation result
  poker_platform_requests_total            counter    operation result
  poker_platform_retries_total             counter
  poker_platform_signature_doubts_total    counter
  poker_replays_total                      counter
  poker_replies_forwarded_total            counter
  poker_replies_undelivered_total          counter
`;

function exerciseAll(metrics: Metrics): void {
  metrics.commands.labels('session.create', 'success').value += 1;
  metrics.commandDuration.labels('session.create').observe(0.02);
  metrics.commandsInFlight.labels('interactive').value += 1;
  metrics.platformRequests.labels('session.create', '2xx').value += 1;
  metrics.platformRequestDuration.labels('session.create', '2xx').observe(0.02);
  const { compartmentInFlight, compartmentWaiting, compartmentOverflowed } = metrics;
  for (const metric of [compartmentInFlight, compartmentWaiting, compartmentOverflowed])
    metric.labels('default', 'session.create').value = 1;
  metrics.circuitState.set({ operator: 'default', operation: 'session.create' }, 2);
}

describe('Metrics', () => {
  it('are those of the contract, and no other of the service itself', async () => {
    const metrics = new Metrics();
    exerciseAll(metrics);
    const own = (await metrics.registry.getMetricsAsJSON()).filter(({ name }) => name.startsWith('poker_'));
    const lines = own.map(({ name, type, values }) => {
      const labels = Object.keys(values[0]?.labels ?? {}).filter((label) => label !== 'le');
      return [name, String(type), ...labels].join(' ');
    });
    const expected = CONTRACT.trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).join(' '));
    expect(lines.sort()).toEqual(expected);
  });

  it.each([
    'poker_platform_retries_total',
    'poker_replays_total',
    'poker_dead_letters_total',
    'poker_replies_undelivered_total',
    'poker_replies_forwarded_total',
    'poker_broker_connected',
  ])('show %s as 0 before anything has happened', async (name) => {
    expect(await new Metrics().registry.metrics()).toContain(`\n${name} 0\n`);
  });

  it('include those of the process', async () => {
    expect(await new Metrics().registry.metrics()).toContain('\nnodejs_eventloop_lag_seconds');
  });

  it('belong to one worker: a second one starts at zero', async () => {
    new Metrics().replays.inc();
    expect(await new Metrics().registry.metrics()).toContain('\npoker_replays_total 0\n');
  });
});
